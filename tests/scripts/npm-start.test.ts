import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Clone, freshClone } from './clone.ts';

/** `npm start` by the npm of this machine, in a clone whose platform writes down how it was started and asked to end. */
const PLATFORM = `
import { appendFileSync, existsSync } from 'node:fs';
appendFileSync('ran', process.argv.slice(2).join(' ') + '\\n');
if (!process.argv.includes('--stay')) process.exit(0);
console.log('running as ' + process.pid);
process.on('SIGTERM', () => {
  console.log('asked to end');
  setInterval(() => {
    if (!existsSync('may-end')) return;
    appendFileSync('ran', 'finished\\n');
    process.exit(0);
  }, 20);
});
setInterval(() => {}, 1_000);
`;
/** For a machine that is busy with other things; npm and Node start in a second. In milliseconds. */
const patienceMs = 60_000;

const { scripts } = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

let clone: Clone;
let npm: ChildProcess | undefined;
let output = '';

beforeEach(() => {
  clone = freshClone();
  clone.write('package.json', JSON.stringify({ name: 'clone', type: 'module', scripts: { start: scripts.start } }));
  // As after an install.
  clone.write('node_modules/.package-lock.json', '{ "packages": {} }');
  clone.write('node_modules/typescript/package.json', '{}');
  cpSync(join(clone.folder, 'fake', 'tsc'), join(clone.folder, 'node_modules', 'typescript', 'bin', 'tsc'));
  clone.write('cli/dist/program/main.js', PLATFORM);
  output = '';
});

afterEach(() => {
  npm?.kill('SIGKILL');
  const left = platform();
  if (left !== undefined && isAlive(left)) process.kill(left, 'SIGKILL');
  clone.remove();
});

const ran = () => readFileSync(join(clone.folder, 'ran'), 'utf8').split('\n').filter(Boolean);

function platform(): number | undefined {
  const pid = /running as (\d+)/.exec(output)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const printed = (text: string) => vi.waitFor(() => expect(output).toContain(text), patienceMs);

async function started(
  program = 'npm',
  args = ['start', '--', '--stay'],
): Promise<{ readonly npm: ChildProcess; readonly allGone: Promise<number | null> }> {
  const child = spawn(program, args, { cwd: clone.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  npm = child;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  // The output closes when the last process that writes to it has ended.
  const allGone = new Promise<number | null>((resolve) => child.once('close', resolve));
  await printed('running as');
  return { npm: child, allGone };
}

test('SIGTERM to npm ends the platform in peace, and npm waits for it', { timeout: patienceMs }, async () => {
  const { npm: running, allGone } = await started();
  running.kill('SIGTERM');
  await printed('asked to end');
  expect([running.exitCode, running.signalCode]).toEqual([null, null]);
  clone.write('may-end', '');
  expect(await allGone).toBe(0);
  expect(ran()).toEqual(['start --demo --stay --web', 'finished']);
});

test('when npm is killed, the platform ends in peace all the same', { timeout: patienceMs }, async () => {
  const { npm: running, allGone } = await started();
  running.kill('SIGKILL');
  await printed('asked to end');
  clone.write('may-end', '');
  await allGone;
  expect(ran()).toEqual(['start --demo --stay --web', 'finished']);
});

test('SIGTERM to npx ends the platform in peace', { timeout: patienceMs }, async () => {
  mkdirSync(join(clone.folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(join('..', '..', 'cli', 'bin', 'stopgo.mjs'), join(clone.folder, 'node_modules', '.bin', 'stopgo'));
  const { npm: running, allGone } = await started('npx', ['stopgo', 'start', '--stay']);
  running.kill('SIGTERM');
  await printed('asked to end');
  clone.write('may-end', '');
  await allGone;
  expect(ran()).toEqual(['start --stay', 'finished']);
});

test.each(['--port', '--demo', '--config'])('npm start %s without two dashes before it is told', async (option) => {
  const { status, stderr } = spawnSync('npm', ['start', option, 'x'], { cwd: clone.folder, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain(
    `stop-and-go: npm took ${option} for its own; write two dashes before it: npm start -- ${option} `,
  );
});

test.each([
  [[], 'start --demo --web'],
  [['--no-web'], 'start --demo'],
  [['--demo'], 'start --demo --demo --web'],
  [['--config', 'mine.yaml'], 'start --config mine.yaml --web'],
  [['--config=mine.yaml'], 'start --config=mine.yaml --web'],
  [['--demo', '--config', 'mine.yaml'], 'start --demo --config mine.yaml --web'],
])('npm start -- %j is stopgo %s: an agent of one’s own is a demo only where that is said', async (args, command) => {
  expect(await clone.node(['scripts/start.mjs', ...args])).toMatchObject({ code: 0 });
  expect(ran()).toEqual([command]);
});
