import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentStream, conversationStream, type Fact, fact, newEvents, sha256Hex, toolsetStream } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { bind, createInProcessClient, Secret, startGrpcServer } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStoreOnNats } from '@stopgo/store/nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNatsServer } from '../src/services/launcher/nats/find-server.ts';
import { stopgo } from './stopgo.ts';

/** A missing server is a failure where all must run; the quick tests do without one. */
const program = (() => {
  if (process.env.STOPGO_TESTS === 'quick') return undefined;
  try {
    return findNatsServer(process.env);
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return undefined;
  }
})();

const token = randomBytes(24).toString('hex');
const id = randomUUID();
const digest = sha256Hex('[]');
const folder = mkdtempSync(join(tmpdir(), 'stopgo-inspect-'));
const stops: (() => Promise<unknown>)[] = [];
let address: string;

async function startNats(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const found = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const listen = `127.0.0.1:${typeof found === 'object' ? found?.port : ''}`;
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `listen: "${listen}"\njetstream { store_dir: "${folder}", sync_interval: always }\n`);
  const child = spawn(program ?? '', ['-c', file], { stdio: 'ignore' });
  stops.push(() => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    return gone;
  });
  return `nats://${listen}`;
}

function append(expectedRevision: number, ...facts: readonly Fact[]) {
  const actor = { kind: 'user', id: 'ann', surface: 'rest' } as const;
  const frame = { now: Date.now(), actor, causationId: '', correlationId: 'session-1' };
  const events = newEvents(
    facts,
    frame,
    facts.map(() => randomUUID()),
  );
  return { stream: conversationStream(id), expectedRevision, events, idempotencyKey: randomUUID() };
}

describe.skipIf(program === undefined)('the log of a store on NATS (needs a nats-server)', () => {
  beforeAll(async () => {
    const url = await startNats();
    const running = await startStoreOnNats({
      ...{ url, stream: 'STOPGO', replicas: 1, acceptUnverifiedDurability: true, dataDir: join(folder, 'data') },
      log: createLogger({ level: 'error', format: 'text', destination: process.stderr }),
    });
    stops.push(running.stop);
    const client = createInProcessClient(store.StoreService, running.service);
    const runId = randomUUID();
    const definition = { digest, definitionJson: '[]' };
    for (const [stream, one] of [
      [agentStream(digest), fact('agentDefined', definition)],
      [toolsetStream(digest), fact('toolsetDefined', definition)],
    ] as const)
      await client.append({ ...append(0, one), stream });
    await client.append(append(0, fact('conversationCreated', { conversationId: id, agentName: 'demo' })));
    await client.append(
      append(
        1,
        fact('userMessageReceived', { runId, text: 'create a server' }),
        fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner: { instance: 'o', epoch: 1 } }),
      ),
    );
    const server = await startGrpcServer({
      address: '127.0.0.1:0',
      services: [bind(store.StoreService, running.service)],
      internalToken: new Secret(token),
    });
    stops.push(() => server.stop(0));
    address = server.address;
  });

  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true });
  });

  const env = { STOPGO_INTERNAL_TOKEN: token };

  test.each<[string, string[], RegExp]>([
    ['verify', [], /^3 streams, 5 events: every hash chain holds and every view equals its events\n$/],
    ['events', [id], /ConversationCreated[\s\S]*UserMessageReceived[\s\S]*RunStarted/i],
    ['replay', [id], /create a server/],
    ['export', [id], /create a server/],
  ])('%s reads it', async (command, args, expected) => {
    const { code, output, errors } = await stopgo([command, ...args, '--store', address], env);
    expect(errors).toBe('');
    expect(output).toMatch(expected);
    expect(code).toBe(0);
  });

  test('what there is, is listed by name', async () => {
    const names = [`agent-${digest}`, `conversation-${id}`, `toolset-${digest}`];
    const { code, output } = await stopgo(['events', '--store', address], env);
    expect([code, output]).toEqual([0, names.map((name) => `${name}\n`).join('')]);
    const json = await stopgo(['events', '--json', '--store', address], env);
    const lines = json.output.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(names.map((stream) => ({ stream })));
  });

  test('what is no name is told what names look like', async () => {
    const { code, output, errors } = await stopgo(['events', 'nope', '--store', address], env);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(
      /^stopgo: "nope" is neither the ID of a conversation .* "stopgo events" without an ID .*\n$/,
    );
  });

  test('a revision beyond the end is refused before anything is printed', async () => {
    const { code, output, errors } = await stopgo(['replay', id, '--at', '4', '--store', address], env);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toBe('stopgo: the conversation has 3 events; there is no revision 4\n');
    expect((await stopgo(['replay', id, '--at', '3', '--store', address], env)).code).toBe(0);
  });

  test('the token may be in a file', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const { code, errors } = await stopgo(['verify', '--store', address], { STOPGO_INTERNAL_TOKEN_FILE: file });
    expect([code, errors]).toEqual([0, '']);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['none', {}, /^stopgo: --store [\d.:]+: the internal token is missing or wrong; set STOPGO_INTERNAL_TOKEN .*\n$/],
    ['another', { STOPGO_INTERNAL_TOKEN: `x${token}` }, /^stopgo: --store .* token is missing or wrong; .*\n$/],
    [
      'one that is too short',
      { STOPGO_INTERNAL_TOKEN: 'hunter22' },
      /^stopgo: STOPGO_INTERNAL_TOKEN: the internal token must .*\n$/,
    ],
    ['one that cannot be sent', { STOPGO_INTERNAL_TOKEN: `${token}\u0007` }, /^stopgo: STOPGO_INTERNAL_TOKEN: .*\n$/],
  ])('with a wrong token (%s) it is refused in one line that does not show it', async (_, given, line) => {
    const { code, output, errors } = await stopgo(['verify', '--store', address], given);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(line);
    expect(errors).not.toMatch(new RegExp(`${token}|hunter22`));
  });

  test('a store that is not there is named', async () => {
    const { code, errors } = await stopgo(['verify', '--store', '127.0.0.1:1'], env);
    expect([code, errors]).toEqual([
      1,
      'stopgo: --store 127.0.0.1:1: the store service does not answer now; try again\n',
    ]);
  });
});

test.each<[string[], string]>([
  [['approve', id, '--action', 'happend'], 'stopgo: --action takes run_again, happened or give_up, not "happend"'],
  [['service'], 'stopgo: "service" takes NAME; see `stopgo help service`'],
])('%j is refused with what it takes', async (args, line) => {
  const { code, output, errors } = await stopgo(args);
  expect([code, output, errors.split('\n')[0]]).toEqual([1, '', line]);
});
