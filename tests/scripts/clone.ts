import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
const programs = fileURLToPath(new URL('../../cli/bin', import.meta.url));

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A folder that looks like a fresh clone to the scripts, with an npm and a compiler that only write down their calls. */
export type Clone = {
  readonly folder: string;
  write(path: string, text: string): void;
  /** What npm and the compiler were called for, in order: `npm ci`, `tsc`. */
  calls(): string[];
  /** Runs Node in the clone with these arguments and variables. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): void;
};

const NPM = `
import { appendFileSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
const settings = ['npm_config_omit', 'npm_config_dry_run', 'NODE_ENV'].filter((name) => name in process.env);
appendFileSync('calls', ['npm', process.argv[2], ...settings].join(' ') + '\\n');
if (existsSync('no-network')) { console.error('npm error network'); process.exit(3); }
mkdirSync('node_modules/typescript/bin', { recursive: true });
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
copyFileSync('fake/tsc', 'node_modules/typescript/bin/tsc');
`;
const TSC = `
const fs = require('node:fs');
fs.appendFileSync('calls', 'tsc\\n');
if (fs.existsSync('type-error')) { console.error('a.ts(1,1): error TS1: no'); process.exit(2); }
fs.mkdirSync('part/dist', { recursive: true });
fs.writeFileSync('part/dist/.tsbuildinfo', '');
`;

/** It makes a program only where a test has written none. */
const BUNDLER = `
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('cli/dist/program', { recursive: true });
if (!existsSync('cli/dist/program/main.js')) writeFileSync('cli/dist/program/main.js', '');
`;

export function freshClone(): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-clone-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  cpSync(scripts, join(folder, 'scripts'), { recursive: true });
  write('scripts/bundle-program.mjs', BUNDLER);
  cpSync(programs, join(folder, 'cli', 'bin'), { recursive: true });
  write('package.json', '{ "name": "clone", "type": "module" }');
  write('package-lock.json', '{ "packages": {} }');
  write('tsconfig.base.json', '{}');
  write('tsconfig.build.json', '{ "references": [{ "path": "./part/tsconfig.build.json" }] }');
  write('part/tsconfig.build.json', '{}');
  write('part/package.json', '{}');
  write('part/src/index.ts', 'export {};');
  write('fake/npm-cli.js', NPM);
  write('fake/package.json', '{ "type": "module" }');
  write('fake/tsc', TSC);
  write('calls', '');
  return {
    folder,
    write,
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean),
    node: (args, env = {}) => run(folder, args, { npm_execpath: join(folder, 'fake', 'npm-cli.js'), ...env }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env.PATH, ...env } });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}
