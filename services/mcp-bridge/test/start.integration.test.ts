import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { clashRemedy, sharedTools, sharedToolsText } from '../src/tools/catalogue.ts';
import type { DefinedTool } from '../src/tools/tool-definitions.ts';
import {
  afterwards,
  eventually,
  httpServer,
  isAlive,
  scriptedServer,
  startBridge,
  stdioServer,
} from './support/bridge.ts';
import { listen } from './support/http.ts';

test('no server is fine, and said', async () => {
  const { lines, tools } = await startBridge([]);
  expect(await tools()).toEqual([]);
  expect(lines).toContainEqual({ level: 'info', message: 'No MCP servers configured' });
});

test('servers start in the order of the configuration, each with its line', async () => {
  const first = scriptedServer('first');
  const second = scriptedServer('second', ['--prefix=b_']);
  const { lines, tools, bridge } = await startBridge([first.config, second.config]);
  expect(lines.filter(({ level }) => level === 'info').map(({ message }) => message)).toEqual([
    `MCP Server [first]: ${process.execPath}`,
    `MCP Server [second]: ${process.execPath}`,
    expect.stringMatching(/^\d+ tools of MCP server "first" say nothing about what they do: note, /),
    expect.stringMatching(/^\d+ tools of MCP server "second" say nothing about what they do: b_note, /),
  ]);
  expect((await tools()).map(({ server, name }) => `${server} ${name}`)).toEqual(
    expect.arrayContaining(['first note', 'second b_note']),
  );
  expect(bridge.describe()).toMatchObject([
    { name: 'first', transport: 'stdio', ready: true, tools: 12 },
    { name: 'second', transport: 'stdio', ready: true, tools: 12 },
  ]);
});

test('a server sees who we are, that we offer it nothing, and nothing of our environment but the harmless', async () => {
  const server = scriptedServer('s', [], { env: { GIVEN: 'yes' } });
  await startBridge([server.config], {
    environment: { HOME: '/home/x', PATH: process.env.PATH, LANG: 'C', GEMINI_API_KEY: 'key', NODE_OPTIONS: '--x' },
  });
  const journal = server.journal();
  expect(journal[0]?.env).toEqual({ HOME: '/home/x', PATH: process.env.PATH, LANG: 'C', GIVEN: 'yes' });
  const hello = journal.find(({ method }) => method === 'initialize');
  expect(hello).toMatchObject({ clientInfo: { name: 'test-agent', version: '1.2.3' }, capabilities: {} });
  expect(journal.map(({ method }) => method)).toEqual(
    expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list']),
  );
});

test('one server that fails ends those before it, and is named with its reason', async () => {
  const good = scriptedServer('a', ['--helper']);
  const bad = scriptedServer('b', ['--fail'], { env: { PASSWORD: 'hunter2-secret' } });
  const started = startBridge([good.config, bad.config]);
  await expect(started).rejects.toThrow(
    'failed to start MCP clients: failed to start MCP server "b": its process exited with code 7 before it answered; ' +
      'its last output: cannot open \\u{1b}[31mthe database\\u{1b}[0m with password [secret]',
  );
  const [pid = 0] = good.pids();
  expect(pid).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(false);
  await eventually(() => !isAlive(good.journal().find(({ helper }) => helper)?.helper ?? 0), 'the helper is gone');
});

test('a command that does not exist is said in one line', async () => {
  await expect(startBridge([stdioServer('b', '/no/such/command', [])])).rejects.toThrow(
    'failed to start MCP clients: failed to start MCP server "b": ' +
      'cannot start "/no/such/command": no such command; install it or give its full path',
  );
});

test.each(['--silent', '--silent-list'])(
  'a server that does not answer (%s) fails at its deadline, its process gone',
  async (flag) => {
    const server = scriptedServer('mute', [flag]);
    // One that answers the first message has time for that on a busy machine, too.
    const stdioStartMs = flag === '--silent' ? 700 : 3_000;
    await expect(startBridge([server.config], { bounds: { stdioStartMs, endGraceMs: 300 } })).rejects.toThrow(
      flag === '--silent'
        ? /failed to start MCP server "mute": no answer within \d+ ms to the first message/
        : /failed to start MCP server "mute": its tools could not be listed: (no answer within|Request timed out)/,
    );
    expect(server.pids().filter(isAlive)).toEqual([]);
  },
);

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a tool name that two servers share is refused: %s, %s', async (first, second) => {
  const one = scriptedServer(first);
  const other = scriptedServer(second);
  const started = startBridge([one.config, other.config]);
  await expect(started).rejects.toThrow(
    new RegExp(
      `^duplicate tool name "note" found in MCP servers "${first}" and "${second}"; they share .*; ${clashRemedy}$`,
    ),
  );
  expect([...one.pids(), ...other.pids()].filter(isAlive)).toEqual([]);
});

test('all names that two servers share are told at once, as far as a line goes', () => {
  const named = (...names: string[]) => ({ tools: names.map((name) => ({ name }) as DefinedTool) });
  const numbered = Array.from({ length: 12 }, (_, n) => `t${n}`);
  const shared = sharedTools([
    { config: { name: 'a' }, ...named('x', ...numbered) },
    { config: { name: 'b' }, ...named('y') },
    { config: { name: 'c' }, ...named(...numbered, 'y') },
  ]);
  if (shared === undefined) throw new Error('nothing is shared');
  expect(shared).toEqual({ tools: numbered, first: 'a', second: 'c' });
  expect(sharedToolsText(shared)).toBe(
    'duplicate tool name "t0" found in MCP servers "a" and "c"; they share "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9" and 2 more too; ' +
      clashRemedy,
  );
});

test('with era auto a server that ends at the unknown question is started again as an older one', async () => {
  const server = scriptedServer('old', ['--ends-when-asked'], { era: 'auto' });
  const { execute } = await startBridge([server.config]);
  expect(await execute('note', { text: 'hi' })).toMatchObject({ case: 'finished' });
  expect(server.pids()).toHaveLength(2);
});

test.each([[], ['--silent-discover']])(
  'with era auto a server of the older protocol is found out: %s',
  async (...flags) => {
    const server = scriptedServer('old', flags, { era: 'auto' });
    const { tools } = await startBridge([server.config], { bounds: { probeMs: 300 } });
    expect(await tools()).toHaveLength(12);
    expect(server.journal().map(({ method }) => method)).toEqual(
      expect.arrayContaining(['server/discover', 'initialize', 'tools/list']),
    );
    expect(server.pids()).toHaveLength(1);
  },
);

test('what a server is found to speak is remembered for its restarts', async () => {
  const server = scriptedServer('old', ['--ends-when-asked'], { era: 'auto' });
  const { execute } = await startBridge([server.config]);
  await execute('crash', {});
  await eventually(async () => (await execute('look', {})).case === 'finished', 'the server is back');
  expect(server.journal().filter(({ method }) => method === 'server/discover')).toHaveLength(1);
  expect(server.pids()).toHaveLength(3);
});

test('a start that is given up waits for no server, and what it started has ended', async () => {
  const good = scriptedServer('good');
  const mute = scriptedServer('mute', ['--silent']);
  const stopping = new AbortController();
  const started = startBridge([good.config, mute.config], {
    stopping: stopping.signal,
    bounds: { stdioStartMs: 600_000 },
  });
  await eventually(() => mute.pids().length === 1, 'the mute server has been started');
  stopping.abort();
  await expect(started).rejects.toBe(stopping.signal.reason);
  expect([...good.pids(), ...mute.pids()].filter(isAlive)).toEqual([]);
});

test('nor does it wait for one that is about to be tried again', async () => {
  const reason = new Error('asked to end');
  const stopping = new AbortController();
  const place = await listen(() => undefined);
  await place.close();
  const started = startBridge([httpServer('h', place.url)], {
    stopping: stopping.signal,
    bounds: { httpStartMs: 600_000, httpStartPauseMs: 50 },
    onLine: ({ message }) => {
      if (message.includes('retrying')) stopping.abort(reason);
    },
  });
  await expect(started).rejects.toBe(reason);
});

test('stopping ends every server and its helpers, also a stubborn one', async () => {
  const willing = scriptedServer('willing', ['--helper']);
  const stubborn = scriptedServer('stubborn', ['--stubborn', '--prefix=s_']);
  const { bridge } = await startBridge([stubborn.config, willing.config], { bounds: { endGraceMs: 200 } });
  const helper = willing.journal().find((entry) => entry.helper)?.helper ?? 0;
  expect(isAlive(helper)).toBe(true);
  await bridge.stop();
  expect(willing.journal()).toContainEqual({ input: 'closed' });
  expect([...willing.pids(), ...stubborn.pids()].filter(isAlive)).toEqual([]);
  await eventually(() => !isAlive(helper), 'the helper is gone');
});

test('a call that comes while stopping is left to another bridge, and a running one is waited for', async () => {
  const server = scriptedServer('s');
  const { bridge, execute, client, toolNamed, instance, keyOf } = await startBridge([server.config], {
    bounds: { drainMs: 5_000 },
  });
  const { pin } = await toolNamed('note');
  const running = execute('slow', { text: 'x' });
  await eventually(() => server.calls('slow') === 1, 'the call runs');
  const stopped = bridge.stop();
  await expect(client.listTools({})).rejects.toMatchObject({ kind: 'unavailable' });
  const late = { key: keyOf('late'), instance, server: 's', tool: 'note', argumentsJson: '{}', pin };
  expect((await client.execute(late)).outcome).toMatchObject({
    case: 'refused',
    value: { reason: mcp.RefusedReason.FENCED, message: expect.stringContaining('the bridge is stopping') },
  });
  expect(await running).toMatchObject({ case: 'finished', value: { content: 'slow x' } });
  await stopped;
  expect(server.calls('note')).toBe(0);
});

test('when the process of the bridge is killed, its servers end by themselves', async () => {
  const server = scriptedServer('s');
  const host = fileURLToPath(new URL('./fixtures/bridge-process.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=stopgo-source', host, JSON.stringify(server.config)],
    {
      stdio: 'inherit',
    },
  );
  afterwards(() => child.kill('SIGKILL'));
  await eventually(() => server.journal().some(({ method }) => method === 'tools/list'), 'it runs');
  const [pid = 0] = server.pids();
  child.kill('SIGKILL');
  await eventually(() => !isAlive(pid), 'the server is gone');
});
