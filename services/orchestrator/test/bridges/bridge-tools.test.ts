import { DomainError } from '@stopgo/core';
import { type Beat, Heartbeat, type Peer, systemClock } from '@stopgo/log';
import { mcp } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { BridgeTools } from '../../src/bridges/tools.ts';

type Service = ServiceImpl<typeof mcp.McpBridgeService>;

/** Bridges behind addresses, a list of heartbeats, and the tools of an orchestrator that sees them. */
async function world() {
  const peers = new Map<string, Peer & { left: boolean }>();
  const beat: Beat = ({ leaving, ...peer }) => {
    peers.set(peer.instance, { ...peer, left: leaving });
    return Promise.resolve({ instances: [...peers.values()], complete: false });
  };
  const clock = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(1, signal) };
  const heartbeat = new Heartbeat({ beat, clock, ttlMs: 60_000, instance: 'me', role: 'orchestrator' });
  const listening = new Map<string, Service>();
  const asked: string[] = [];
  const open = new Set<string>();
  const down = () => Promise.reject(new DomainError('unavailable', 'nobody listens'));
  const connect = (address: string) => {
    open.add(address);
    const at = (): Service =>
      listening.get(address) ?? {
        listTools: down,
        execute: down,
        fenceCall: down,
        answerCall: down,
        cancelCall: down,
        listServers: down,
        listHeldTools: down,
        acceptTools: down,
        defineTools: down,
        learnAccepted: down,
      };
    const client = createInProcessClient(mcp.McpBridgeService, {
      listTools: (request, context) => at().listTools(request, context),
      execute: (request, context) => at().execute(request, context),
      fenceCall: (request, context) => at().fenceCall(request, context),
      answerCall: (request, context) => at().answerCall(request, context),
      cancelCall: (request, context) => at().cancelCall(request, context),
      listServers: (request, context) => at().listServers(request, context),
      listHeldTools: (request, context) => at().listHeldTools(request, context),
      acceptTools: (request, context) => at().acceptTools(request, context),
      defineTools: (request, context) => at().defineTools(request, context),
      learnAccepted: (request, context) => at().learnAccepted(request, context),
    });
    return { client, close: () => void open.delete(address) };
  };
  const tools = new BridgeTools({ connect, liveness: heartbeat, clock });
  const wrong = (instance: string) =>
    new DomainError('failed_precondition', `this is ${instance}`, { details: { reason: 'wrong_instance' } });
  /** A bridge listens there, and its heartbeat has been seen. */
  const start = async (instance: string, address: string) => {
    const check = (named: string) => {
      if (named !== instance) throw wrong(instance);
    };
    listening.set(address, {
      listTools: async () => ({ instance, revision: 'r', tools: [{ server: 'files', name: 'read', callsAtOnce: 1 }] }),
      execute: async (request) => {
        check(request.instance);
        asked.push(`execute ${instance}`);
        return { outcome: { case: 'finished', value: { content: 'done' } } };
      },
      fenceCall: async (request) => {
        check(request.instance);
        asked.push(`fence ${instance}`);
        return { state: { case: 'running', value: {} } };
      },
      answerCall: async () => ({ taken: true }),
      cancelCall: async () => ({ found: true }),
      listServers: async () => ({ instance }),
      listHeldTools: async () => ({}),
      acceptTools: async () => ({}),
      defineTools: async () => ({}),
      learnAccepted: async () => ({}),
    });
    await beat({ instance, role: 'mcp-bridge', address, counter: 1, leaving: false }, signal);
    await heartbeat.renew();
    tools.look();
  };
  const leave = async (instance: string, address: string) => {
    await beat({ instance, role: 'mcp-bridge', address, counter: 2, leaving: true }, signal);
    await heartbeat.renew();
    tools.look();
  };
  await heartbeat.renew();
  return { tools, start, leave, listening, asked, open };
}

const { signal } = new AbortController();
/** Longer than a test takes. */
const waitMs = 60_000;
const key = { conversationId: 'c', runId: 'r', callId: 'k', attempt: 1 };
const call = (bridge: string) => ({
  key,
  bridge,
  server: 's',
  tool: 't',
  argumentsJson: '{}',
  approvalId: '',
  digest: '',
  pin: '',
  sessionId: 's1',
});

test('before any bridge has answered there is no catalogue and no bridge, and both come with the first one', async () => {
  const { tools, start } = await world();
  await expect(tools.refresh()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(() => tools.catalogue()).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfterMs: 1_000 }));
  expect(tools.choose()).toBeUndefined();
  const waiting = tools.available(signal);
  const alsoWaiting = tools.available(signal);
  await start('one', 'host:1');
  expect(await waiting).toBe('one');
  expect(await alsoWaiting).toBe('one');
  expect(tools.catalogue().tools.size).toBe(1);
});

test('who waits for a bridge can be told to stop', async () => {
  const { tools } = await world();
  const canceled = new AbortController();
  const waiting = tools.available(canceled.signal);
  canceled.abort(new Error('the run is canceled'));
  await expect(waiting).rejects.toThrow('the run is canceled');
});

test('new attempts are spread over the bridges that are there; what is asked of one goes to it alone', async () => {
  const { tools, start, asked } = await world();
  await start('one', 'host:1');
  await start('two', 'host:2');
  await tools.refresh();
  await expect.poll(() => new Set([tools.choose(), tools.choose(), tools.choose(), tools.choose()]).size).toBe(2);
  for (const instance of ['one', 'two', 'two']) await tools.execute(call(instance), waitMs);
  await tools.fence(key, 'one');
  expect(asked).toEqual(['execute one', 'execute two', 'execute two', 'fence one']);
  await expect(tools.execute(call('three'), waitMs)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a bridge that leaves gets no new attempt, and its connection is closed', async () => {
  const { tools, start, leave, open } = await world();
  await start('one', 'host:1');
  await start('two', 'host:2');
  await expect.poll(() => new Set([tools.choose(), tools.choose()]).size).toBe(2);
  await leave('one', 'host:1');
  expect([tools.choose(), tools.choose(), tools.choose()]).toEqual(['two', 'two', 'two']);
  await expect.poll(() => [...open]).toEqual(['host:2']);
});

test('a bridge that does not answer gets no new attempt until it does', async () => {
  const { tools, start, listening } = await world();
  await start('one', 'host:1');
  await tools.available(signal);
  const service = listening.get('host:1');
  listening.delete('host:1');
  await expect(tools.execute(call('one'), waitMs)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(tools.choose()).toBeUndefined();
  const waiting = tools.available(signal);
  if (service !== undefined) listening.set('host:1', service);
  expect(await waiting).toBe('one');
});

test('a call that takes longer than its request waits is no reason to doubt its bridge', async () => {
  const { tools, start, listening } = await world();
  await start('one', 'host:1');
  await tools.available(signal);
  const service = listening.get('host:1');
  if (service === undefined) throw new Error('nobody listens');
  const silent = () => new Promise<never>(() => undefined);
  listening.set('host:1', { ...service, execute: silent, listTools: silent });
  await expect(tools.execute(call('one'), 1)).rejects.toMatchObject({ kind: 'deadline_exceeded' });
  expect(tools.choose()).toBe('one');
});

test('where another instance is now, the call did not run; what became of earlier ones is not known there', async () => {
  const { tools, start, asked } = await world();
  await start('one', 'host:1');
  await tools.available(signal);
  await start('two', 'host:1');
  expect(await tools.execute(call('one'), waitMs)).toEqual({ kind: 'fenced' });
  await expect(tools.fence(key, 'one')).rejects.toMatchObject({ kind: 'failed_precondition' });
  expect(await tools.available(signal)).toBe('two');
  expect(asked).toEqual([]);
});

test('a bridge that goes on under another id is still asked about what it did under the former one', async () => {
  const { tools, start, listening, asked } = await world();
  await start('bridge~1', 'host:1');
  const service = listening.get('host:1');
  if (service === undefined) throw new Error('nobody listens');
  listening.set('host:1', {
    ...service,
    fenceCall: async ({ instance }) => {
      asked.push(`fence ${instance}`);
      return { state: { case: 'neverSeen', value: {} } };
    },
  });
  expect(await tools.fence(key, 'bridge')).toEqual({ kind: 'never_seen' });
  expect(asked).toEqual(['fence bridge']);
});

test('a bridge is sent so many calls of a server as it makes at the same time; another bridge has turns of its own', async () => {
  const { tools, start } = await world();
  await start('one', 'host:1');
  await expect.poll(() => tools.known()?.tools.size).toBe(1);
  const first = tools.turn('one', 'files', signal);
  const second = tools.turn('one', 'files', signal);
  expect([first.come === undefined, second.come === undefined]).toEqual([true, false]);
  expect(tools.turn('two', 'files', signal).come).toBeUndefined();
  first.leave(true);
  await second.come;
});

test('that the last server has listed its tools is known, though they are the same as before', async () => {
  const { tools, start, listening } = await world();
  await start('one', 'host:1');
  const service = listening.get('host:1');
  if (service === undefined) throw new Error('no bridge');
  let unlistedServers = ['late'];
  const offered = { instance: 'one', revision: 'r2', tools: [{ server: 'files', name: 'read', callsAtOnce: 1 }] };
  listening.set('host:1', { ...service, listTools: async () => ({ ...offered, unlistedServers }) });
  await tools.refresh();
  const before = tools.catalogue();
  expect(before.unlisted).toEqual(new Set(['late']));
  await tools.refresh();
  expect(tools.catalogue()).toBe(before);
  unlistedServers = [];
  await tools.refresh();
  expect(tools.catalogue()).toEqual({ ...before, unlisted: new Set() });
});
