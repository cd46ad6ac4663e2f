import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const bin = (name: string): string => fileURLToPath(new URL(`../../cli/bin/${name}`, import.meta.url));

const probe = `
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { takeHandedOver } from ${JSON.stringify(bin('handed-over.mjs'))};
takeHandedOver();
takeHandedOver();
const block = readFileSync('/proc/self/environ', 'utf8').split('\\0').filter((entry) => entry !== '');
const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
console.log(JSON.stringify({
  env: process.env, block, children, stdin: readFileSync(0, 'utf8'), args: process.argv.slice(2),
  open: readdirSync('/proc/self/fd').map((fd) => {
    try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; }
  }).filter((path) => path.includes('/stopgo.')),
}));
`;

describe.skipIf(!existsSync('/proc/self/environ'))('a program that is handed its environment', () => {
  let folder: string;
  let program: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stopgo-handed-'));
    program = join(folder, 'probe.mjs');
    writeFileSync(program, probe);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (env: Record<string, string>, shell = 'sh') => {
    const all = { PATH: process.env.PATH ?? '', TMPDIR: folder, ...env };
    const args = [bin('handing-over.sh'), process.execPath, program, 'an argument', '$HOME'];
    const { stdout, stderr } = spawnSync(shell, args, { env: all, input: 'typed', encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Record<'children' | 'stdin', string> & {
      readonly env: Record<string, string>;
      readonly block: readonly string[];
      readonly args: readonly string[];
      readonly open: readonly string[];
    };
  };

  test.each(['sh', 'bash'])('has all of it, and shows what is harmless (%s)', (shell) => {
    const secrets = {
      GEMINI_API_KEY: 'sekrit-1',
      VAULT_TOKEN: 'sekrit-2 with "quotes", $dollars and = signs',
      SEVERAL_LINES: 'sekrit-3\nHOME=elsewhere\nmore',
      NODE_AUTH_TOKEN: 'sekrit-4',
      LARGE: `sekrit-5 ${'x'.repeat(100_000)}`,
      EMPTY: '',
    };
    const shown = run({ ...secrets, LANG: 'C.UTF-8', npm_lifecycle_event: 'start' }, shell);
    expect(shown.env).toMatchObject({ ...secrets, LANG: 'C.UTF-8', npm_lifecycle_event: 'start', TMPDIR: folder });
    expect(shown.env).not.toHaveProperty('STOPGO_ENVIRONMENT_FD');
    expect(shown.block.filter((entry) => entry.includes('sekrit'))).toEqual([]);
    expect(shown.block).toContain('LANG=C.UTF-8');
    expect(shown.block).toContain('npm_lifecycle_event=start');
    expect(shown).toMatchObject({ stdin: 'typed', args: ['an argument', '$HOME'], open: [], children: '' });
  });

  test('leaves no file behind', () => {
    const before = readdirSync('/dev/shm');
    run({ GEMINI_API_KEY: 'sekrit' });
    expect(readdirSync('/dev/shm').filter((name) => name.startsWith('stopgo.') && !before.includes(name))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['probe.mjs']);
  });

  test('runs with its environment as it is where nothing can be handed over', () => {
    // No mktemp on the path.
    const shell = spawnSync('sh', ['-c', 'command -v sh'], { encoding: 'utf8' }).stdout.trim();
    const shown = run({ PATH: folder, GEMINI_API_KEY: 'sekrit' }, shell);
    expect(shown.block).toContain('GEMINI_API_KEY=sekrit');
    expect(shown.env.GEMINI_API_KEY).toBe('sekrit');
  });
});

test('the command finds itself through links', () => {
  const { stdout } = spawnSync(bin('stopgo'), ['--version'], { encoding: 'utf8' });
  expect(stdout).toMatch(/^stopgo \d+\.\d+\.\d+\n$/);
});
