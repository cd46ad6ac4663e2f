import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../e2e/http.ts';
import { freePort } from '../free-ports.ts';

/**
 * The first hour of the README, in a copy of the repository where nothing is installed or built: every command of these sections,
 * in order, as it is written. Only the port differs, which a test cannot fix, and what stands for an id. Left out are `npm test`,
 * which runs the tests, and the examples, which have tests of their own (tests/examples).
 */
const sections = ['Two commands', 'The first conversation', 'Your own agent'];
const root = fileURLToPath(new URL('../..', import.meta.url));
/** An install and a build on a busy machine. In milliseconds. */
const patienceMs = 600_000;

let folder: string;
let port: number;
let platform: ChildProcess | undefined;
let platformOutput = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-readme-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of list.toString().split('\0').filter(Boolean))
    cpSync(join(root, file), join(folder, file), { recursive: true });
  port = await freePort();
});

afterAll(async () => {
  await ended('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The lines of the shell blocks of a section of the README. */
function commandsOf(section: string): string[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const part = readme.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  return [...part.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n').filter(Boolean));
}

const withPort = (command: string): string => command.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);

/** As in a shell of a new user: without what this test was told. */
function shell(command: string): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn('bash', ['-c', command], {
    cwd: folder,
    env: { PATH, HOME, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(command: string): Promise<string> {
  const child = shell(withPort(command));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const output = (of: 'stdout' | 'stderr') => text(child[of] as NonNullable<ChildProcess['stdout']>);
  const [stdout, stderr] = await Promise.all([output('stdout'), output('stderr')]);
  expect({ command, code: await closed, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** Starts the platform, until it answers. */
async function start(command: string): Promise<void> {
  await ended('SIGTERM');
  const [plain = ''] = command.split('#');
  const child = shell(`exec ${plain.trim()}${plain.includes(' -- ') ? '' : ' --'} --port ${port}`);
  platform = child;
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (said: string) => {
      platformOutput += said;
    });
  await until(
    `${command} answers`,
    async () => {
      const ended = child.exitCode ?? child.signalCode;
      if (ended !== null) throw new Error(`${command} ended with ${ended}: ${platformOutput}`);
      const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      return health?.ok === true ? true : undefined;
    },
    patienceMs,
  );
}

async function ended(signal: NodeJS.Signals): Promise<void> {
  const child = platform;
  if (child === undefined || (child.exitCode ?? child.signalCode) !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  await closed;
}

test('every command of the first hour does what is said of it', { timeout: 2 * patienceMs }, async () => {
  for (const section of sections) expect(commandsOf(section), section).not.toEqual([]);
  const ids: Record<string, string> = {};
  const said: Record<string, string> = {};
  for (const command of sections.flatMap(commandsOf)) {
    if (/^npm (test|run example)\b/.test(command)) continue;
    if (/^npm start\b/.test(command)) {
      await start(command);
      continue;
    }
    const output = await run(command.replace(/\b(?:UUID|ID)\b/g, (name) => ids[name] ?? name));
    said[command] = output;
    const answer = command.startsWith('curl') ? JSON.parse(output) : undefined;
    if (answer === undefined) continue;
    ids.ID = answer.conversation.id;
    ids.UUID = answer.result.approval?.uuid ?? ids.UUID;
  }
  const of = (part: string): string => Object.entries(said).find(([command]) => command.includes(part))?.[1] ?? '';
  expect(JSON.parse(of('list all resources')).result.response).toContain('there are no resources');
  expect(JSON.parse(of('create a server my-test'))).toMatchObject({ result: { waiting_approval: true } });
  expect(JSON.parse(of('/approvals/UUID')).result.response).toContain('added "my-test" with value 42');
  expect(of('stopgo events')).toContain('ToolCallFinished');
  expect(JSON.parse(of('/messages')).result.response).toContain('my-test');
  expect(of('stopgo replay')).toContain('create a server my-test');
  expect(of('stopgo replay')).not.toContain('added "my-test"');
  expect(of('stopgo graph')).toContain('resources');
  expect(of('stopgo verify')).toContain('every hash chain holds and every view equals its events');
  expect(JSON.parse(of('stopgo export'))).toBeTypeOf('object');
  expect(of('stopgo backup')).not.toBe('');

  // What `stopgo init` says is next, with the agent that it wrote, which runs now.
  const next = of('stopgo init')
    .split('\n')
    .map((line) => line.trim());
  const create = next.find((line) => line.startsWith('curl')) ?? '';
  expect(JSON.parse(await run(create))).toMatchObject({ result: { waiting_approval: true } });
  const waiting = await run(`npx stopgo approvals --port ${port}`);
  const [uuid = ''] = waiting.split(' ');
  expect(next).toContain('npx stopgo approve UUID');
  expect(await run(`npx stopgo approve ${uuid} --port ${port}`)).toContain('added "my-test" with value 42');
  const list = `printf 'list all resources\\n' | npx stopgo chat --port ${port}`;
  expect(await run(list)).toContain('| resources_list: 1 resource');
  expect(await run('npx stopgo verify --config my-agent/agent.yaml')).toContain(
    'every hash chain holds and every view equals its events',
  );
});
