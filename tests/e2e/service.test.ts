import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { client, until } from './http.ts';
import { journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import {
  journaledConfig,
  launchCommand,
  type RunningCommand,
  resourcesConfig,
  stopgo,
  type Workplace,
  workplace,
} from './platform.ts';
import { noneLeftOf } from './processes.ts';

/** Services that somebody else starts, one by one: `stopgo service NAME`, here over the embedded log. */
let model: ScriptedModel;
let place: Workplace;
let running: RunningCommand[];

beforeAll(async () => {
  model = await scriptedModel();
});

afterAll(() => model.stop());

beforeEach(() => {
  place = workplace();
  running = [];
});

afterEach(async () => {
  for (const { process: child } of running) child.kill('SIGKILL');
  await noneLeftOf(place.folder);
  place.remove();
});

const token = 'a-token-of-the-test-that-nobody-prints';

/** Waits until a process has said something; a process that ends before, or says something else, is shown. */
async function said(command: RunningCommand, what: RegExp): Promise<string> {
  const shown = () => `${command.output()}${command.errors()}`;
  const probe = async (): Promise<string | undefined> => {
    const found = what.exec(command.output())?.[1];
    const { exitCode, signalCode } = command.process;
    if (found === undefined && (exitCode ?? signalCode) !== null)
      throw new Error(`ended with ${exitCode ?? signalCode} before it said ${what}: ${shown()}`);
    return found;
  };
  return until(`${what}`, probe, 60_000).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : error}\nit said: ${shown()}`);
  });
}

test('they wait for each other in any order, work, and let a slow request finish', { timeout: 120_000 }, async () => {
  const journal = journalOf(place);
  const config = join(place.folder, 'agent.yaml');
  writeFileSync(config, journaledConfig(place));
  const [store, bridge, orchestrator, approvals] = (await freePorts(4)).map((port) => `127.0.0.1:${port}`);
  const start = (name: string, env: Record<string, string | undefined>): RunningCommand => {
    const given = Object.fromEntries(
      Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    const command = launchCommand(['service', name, '--config', config], {
      env: { STOPGO_INTERNAL_TOKEN: token, STOPGO_STORE: store ?? '', ...given },
    });
    running.push(command);
    return command;
  };
  const gateway = start('gateway', {
    STOPGO_ORCHESTRATOR: orchestrator,
    STOPGO_APPROVALS: approvals,
    STOPGO_MCP_BRIDGE: bridge,
  });
  const others = [
    start('approvals', { STOPGO_LISTEN: approvals, STOPGO_ORCHESTRATOR: orchestrator }),
    start('orchestrator', { STOPGO_LISTEN: orchestrator, ...model.env }),
    start('mcp-bridge', { STOPGO_LISTEN: bridge }),
  ];
  for (const waiting of [gateway, ...others]) await said(waiting, /(waiting for the store)/);
  const unready = await stopgo(['health', approvals ?? '']);
  expect(unready.code).toBe(1);
  others.push(start('store', { STOPGO_LISTEN: store }));
  const http = client(await said(gateway, /ready on (http:\S+)/));
  for (const other of others) await said(other, /ready on (\S+)/);
  expect((await stopgo(['health', approvals ?? ''])).code).toBe(0);

  // One that found nobody a moment ago tries it again after a pause.
  const asked = await until('a message is taken', async () => {
    const answer = await http.post('/conversations', { message: 'call erase {"name":"apart"}' });
    return answer.status === 503 ? undefined : answer;
  });
  expect(asked.status).toBe(201);
  const decided = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { approved: true });
  expect([200, 202]).toContain(decided.status);
  const { conversation } = await until('the run goes on', async () => {
    const { body } = await http.get(`/conversations/${asked.body.conversation.id}`);
    return body.conversation.run?.status === 'completed' ? body : undefined;
  });
  expect(conversation.messages.at(-1)?.content).toContain('erase apart');
  expect(journal.began('erase', 'apart')).toBe(1);

  const slow = http.post('/conversations', { message: 'call hold {"name":"slow"}' });
  await journal.running('hold', 'slow');
  gateway.process.kill('SIGTERM');
  await said(gateway, /(Shutting down)/);
  journal.letGo('slow');
  expect((await slow).body.result.response).toContain('let slow go');
  expect(await gateway.exited).toBe(0);
  for (const { process: child, exited } of others) {
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  }
  for (const { output } of running) expect(output()).not.toContain(token);
});

test('one that still waits for another ends when it is told to', async () => {
  const config = join(place.folder, 'agent.yaml');
  writeFileSync(config, resourcesConfig(place));
  const [port] = await freePorts(1);
  const waiting = launchCommand(['service', 'approvals', '--config', config], {
    env: { STOPGO_STORE: `127.0.0.1:${port}`, STOPGO_ORCHESTRATOR: `127.0.0.1:${port}` },
  });
  running.push(waiting);
  await said(waiting, /(waiting for the store)/);
  waiting.process.kill('SIGTERM');
  expect(await waiting.exited).toBe(0);
  expect(waiting.errors()).toBe('');
});

test('none is ready whose token the store refuses, and it goes on when the store comes back with the same one', {
  timeout: 120_000,
}, async () => {
  const config = join(place.folder, 'agent.yaml');
  writeFileSync(config, resourcesConfig(place));
  const [store = '', bridge = '', orchestrator = '', approvals = '', gateway = ''] = (await freePorts(5)).map(
    (port) => `127.0.0.1:${port}`,
  );
  const start = (name: string, listen: string, internal: string): RunningCommand => {
    const others = { STOPGO_STORE: store, STOPGO_MCP_BRIDGE: bridge, STOPGO_ORCHESTRATOR: orchestrator };
    const env = { ...others, STOPGO_APPROVALS: approvals, STOPGO_LISTEN: listen, STOPGO_INTERNAL_TOKEN: internal };
    const command = launchCommand(['service', name, '--config', config], { env: { ...env, ...model.env } });
    running.push(command);
    return command;
  };
  const first = start('store', store, `another-${token}`);
  await said(first, /ready on (\S+)/);
  const others = [
    start('mcp-bridge', bridge, token),
    start('orchestrator', orchestrator, token),
    start('approvals', approvals, token),
    start('gateway', gateway, token),
  ];
  for (const other of others)
    await said(other, /ERROR \| (the internal token is refused by the store: give both the same one)/);
  for (const other of others) expect(other.output()).not.toContain('ready on');
  for (const address of [approvals, gateway]) expect((await stopgo(['health', address])).code).toBe(1);

  first.process.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  start('store', store, token);
  for (const other of others) await said(other, /ready on (\S+)/);
  for (const address of [approvals, gateway]) expect((await stopgo(['health', address])).code).toBe(0);
});

const peers = { STOPGO_STORE: '127.0.0.1:7001', STOPGO_ORCHESTRATOR: '127.0.0.1:7002' };

test.concurrent.each<[string, string, Record<string, string>, readonly RegExp[], config?: string]>([
  [
    'people who sign in, and services that know each other by nothing',
    'approvals',
    peers,
    [
      /^stopgo: auth is set, and the service approvals has no token by which services know each other: set STOPGO_INTERNAL_TOKEN /,
    ],
    'auth: {}\n',
  ],
  [
    'an unknown name',
    'web',
    {},
    [
      /^stopgo: there is no service "web"; the services are store, mcp-bridge, registry, orchestrator, approvals, gateway$/,
    ],
  ],
  [
    'all that is missing',
    'gateway',
    { STOPGO_STORE: '', STOPGO_HTTP_PORT: '80a' },
    [
      /^stopgo: STOPGO_STORE: is not set; the gateway calls the store: name its address as host:port$/,
      /^stopgo: STOPGO_MCP_BRIDGE: is not set; /,
      /^stopgo: STOPGO_ORCHESTRATOR: is not set; /,
      /^stopgo: STOPGO_APPROVALS: is not set; /,
      /^stopgo: STOPGO_HTTP_PORT: expected a port from 0 to 65535, found "80a"$/,
    ],
  ],
  [
    'an address that is none',
    'approvals',
    { ...peers, STOPGO_STORE: 'store' },
    [/^stopgo: STOPGO_STORE: address "store": expected host:port or \[ipv6\]:port$/],
  ],
  [
    'no token beyond loopback',
    'approvals',
    { ...peers, STOPGO_LISTEN: '0.0.0.0:0' },
    [
      /^stopgo: STOPGO_LISTEN: 0\.0\.0\.0:0 is beyond loopback, .*set STOPGO_INTERNAL_TOKEN or STOPGO_INTERNAL_TOKEN_FILE$/,
    ],
  ],
  [
    'a token that is too short',
    'approvals',
    { ...peers, STOPGO_INTERNAL_TOKEN: 'hush' },
    [/^stopgo: STOPGO_INTERNAL_TOKEN: the internal token must be at least 16 printable ASCII characters$/],
  ],
  [
    'others that are known, and no token of its own',
    'approvals',
    { ...peers, STOPGO_INTERNAL_TOKEN: '', STOPGO_INTERNAL_PEERS: `gateway=${'0'.repeat(64)}` },
    [/^stopgo: STOPGO_INTERNAL_PEERS: is set without a token of this service's own; set STOPGO_INTERNAL_TOKEN or /],
  ],
  [
    'others that are known by nothing',
    'approvals',
    { ...peers, STOPGO_INTERNAL_TOKEN: 'a-token-that-is-long-enough', STOPGO_INTERNAL_PEERS: 'gateway=hush' },
    [/^stopgo: STOPGO_INTERNAL_PEERS: expected NAME=SHA-256 of its token, 64 hexadecimal digits, with one of store, /],
  ],
  [
    'a token file that is not there',
    'approvals',
    { ...peers, STOPGO_INTERNAL_TOKEN_FILE: '/nowhere/token' },
    [
      /^stopgo: STOPGO_INTERNAL_TOKEN_FILE: \/nowhere\/token cannot be read \(ENOENT\); name a file that this user may read$/,
    ],
  ],
  [
    'a NATS address that is none',
    'store',
    { NATS_URL: 'nats://user:hush-hush@' },
    [/^stopgo: NATS_URL: expected nats:\/\/host:port, (?!.*hush)/],
  ],
  [
    'a model without its key',
    'orchestrator',
    peers,
    [/^Failed to start orchestrator: failed to initialize LLM client: GEMINI_API_KEY environment variable not set/],
  ],
])('%s is refused in one clear line each', async (_, name, env, lines, more = '') => {
  const own = workplace();
  const config = join(own.folder, 'agent.yaml');
  writeFileSync(config, `${resourcesConfig(own)}\n${more}`);
  const { code, errors } = await stopgo(['service', name, '--config', config], { env });
  const told = errors.trimEnd().split('\n');
  expect(told).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) expect(told[index]).toMatch(line);
  expect(code).toBe(1);
  own.remove();
});
