import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type Fact, fact, sha256Hex } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import {
  bind,
  type Client,
  connectGrpc,
  createGrpcClient,
  createInProcessClient,
  formatPeers,
  type PeerName,
  parsePeers,
  peerNames,
  peerToken,
  Secret,
  startGrpcServer,
} from '@stopgo/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningStore, startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { eventsOf, Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;
type Way = {
  readonly clientOf: (peer: PeerName) => StoreClient;
  readonly close: () => Promise<void>;
};

const root = new Secret('the-token-that-others-are-made-from');

const ways: Readonly<Record<string, (running: RunningStore) => Promise<Way>>> = {
  'in one process': async ({ service }) => ({
    clientOf: (caller) => createInProcessClient(store.StoreService, service, { caller }),
    close: async () => undefined,
  }),
  'over gRPC': async ({ service }) => {
    const peers = parsePeers(formatPeers(peerNames.map((name) => [name, peerToken(root, name)])));
    const server = await startGrpcServer({
      ...{ address: '127.0.0.1:0', services: [bind(store.StoreService, service)], peers },
    });
    const channels = new Map(
      peerNames.map((name) => [name, connectGrpc(server.address, { internalToken: peerToken(root, name) })]),
    );
    return {
      clientOf: (peer) => createGrpcClient(store.StoreService, channels.get(peer)!),
      close: async () => {
        for (const channel of channels.values()) channel.close();
        await server.stop(0);
      },
    };
  },
};

const denied = (peer: PeerName) => ({ kind: 'permission_denied', details: { peer } });
const { APPROVED, EXPIRED, GIVE_UP, HAPPENED, REJECTED, RUN_AGAIN, WITHDRAWN } = facts.Decision;

describe.each(Object.entries(ways))('what each service may do to the log, %s', (_, open) => {
  const dataDirs: string[] = [];
  let running: RunningStore;
  let way: Way;
  beforeEach(async () => {
    const dataDir = freshDirectory();
    dataDirs.push(dataDir);
    running = await startStore({ dataDir, log: silent });
    way = await open(running);
  });
  afterEach(async () => {
    await way.close();
    await running.stop();
    for (const dataDir of dataDirs.splice(0)) rmSync(dataDir, { recursive: true });
  });

  /** A conversation that waits for an approval. */
  async function waiting(): Promise<Story> {
    const story = new Story();
    const { append } = way.clientOf('orchestrator');
    await append(story.created());
    await append(story.asked('create a server'));
    await append(story.stopped());
    return story;
  }

  const sent = (story: Story, ...all: readonly Fact[]) => ({
    ...{ stream: story.stream, expectedRevision: story.revision },
    ...{ events: eventsOf(...all), idempotencyKey: randomUUID() },
  });
  const decided = (story: Story, decision: facts.Decision, byPolicy = false): Fact =>
    fact('approvalResolved', { ...{ runId: story.runId, approvalId: story.approvalId, decision, byPolicy } });

  test.each([APPROVED, REJECTED, RUN_AGAIN, HAPPENED, GIVE_UP])(
    'what a person decides (%i) is taken from the approvals service alone',
    async (decision) => {
      const story = await waiting();
      for (const peer of peerNames)
        if (peer !== 'approvals')
          await expect(way.clientOf(peer).append(sent(story, decided(story, decision))), peer).rejects.toMatchObject(
            denied(peer),
          );
      // Nothing was recorded, and the one that may decide still can.
      const { approvals } = await way.clientOf('gateway').listApprovals({ conversationId: story.id });
      expect(approvals.map(({ decision: none }) => none)).toEqual([0]);
      const answer = await way.clientOf('approvals').append(sent(story, decided(story, decision)));
      expect(answer.outcome.case).toBe('appended');
    },
  );

  test.each([
    ['a policy approves', APPROVED, true],
    ['a policy rejects', REJECTED, true],
    ['its time is over', EXPIRED, false],
    ['nobody needs it any more', WITHDRAWN, false],
  ])('%s: the orchestrator records it', async (_what, decision, byPolicy) => {
    const story = await waiting();
    const { append } = way.clientOf('orchestrator');
    expect((await append(sent(story, decided(story, decision, byPolicy)))).outcome.case).toBe('appended');
  });

  test('what a person takes back is taken from the approvals service alone', async () => {
    const story = await waiting();
    const { runId, approvalId } = story;
    const withdrawn = fact('approvalResolved', { runId, approvalId, decision: WITHDRAWN, voter: { key: 'user:ada' } });
    const { append } = way.clientOf('orchestrator');
    await expect(append(sent(story, withdrawn))).rejects.toMatchObject(denied('orchestrator'));
    expect((await way.clientOf('approvals').append(sent(story, withdrawn))).outcome.case).toBe('appended');
  });

  test('a call in doubt is decided by no policy', async () => {
    const story = await waiting();
    const { append } = way.clientOf('orchestrator');
    await expect(append(sent(story, decided(story, RUN_AGAIN, true)))).rejects.toMatchObject(denied('orchestrator'));
  });

  test('a decision is found wherever it stands in an append, and in a payload that says something else first', async () => {
    const story = await waiting();
    const { append } = way.clientOf('orchestrator');
    const harmless = fact('runCanceled', { runId: story.runId });
    const refused = denied('orchestrator');
    await expect(append(sent(story, harmless, decided(story, APPROVED)))).rejects.toMatchObject(refused);
    // Of two fields of a union the last one counts.
    const [one, two] = eventsOf(harmless, decided(story, APPROVED));
    const payload = Buffer.concat([one!.payload, two!.payload]);
    const request = { ...sent(story, harmless), events: [{ ...one!, payload }] };
    await expect(append(request)).rejects.toMatchObject(refused);
    expect((await way.clientOf('gateway').readStream({ stream: story.stream })).headRevision).toBe(story.revision);
  });

  test('a bridge appends what it met and defines, and nothing else', async () => {
    const { append } = way.clientOf('mcp-bridge');
    const pin = sha256Hex('{}');
    const to = (stream: string, ...all: readonly Fact[]) => ({
      ...{ stream, expectedRevision: 0, events: eventsOf(...all), idempotencyKey: randomUUID() },
    });
    const defined = fact('toolDefined', { pin, definitionJson: '{}' });
    expect((await append(to(`tool-${pin}`, defined))).outcome.case).toBe('appended');
    const met = fact('toolServerMet', { identity: 'x', server: 'files', transport: 'stdio' });
    expect((await append(to('pins-x', met))).outcome.case).toBe('appended');
    const refused = denied('mcp-bridge');
    const story = await waiting();
    for (const request of [
      to(`agent-${pin}`, fact('agentDefined', { digest: pin, definitionJson: '{}' })),
      to(`toolset-${pin}`, fact('toolsetDefined', { digest: pin, definitionJson: '{}' })),
      to(`conversation-${randomUUID()}`, fact('conversationCreated', {})),
      sent(story, fact('runClaimed', { runId: story.runId, owner: { instance: 'me', epoch: 9 } })),
      sent(story, decided(story, APPROVED)),
    ])
      await expect(append(request), request.stream).rejects.toMatchObject(refused);
  });

  test.each(['mcp-bridge', 'orchestrator'] as const)(
    'the %s defines a tool under its own digest only',
    async (peer) => {
      const { append } = way.clientOf(peer);
      const [honest, forged] = ['{"name":"pay"}', '{"name":"pay","annotations":{"readOnlyHint":true}}'];
      const pin = sha256Hex(honest);
      const to = (...all: readonly Fact[]) => ({
        ...{ stream: `tool-${pin}`, expectedRevision: 0, events: eventsOf(...all), idempotencyKey: randomUUID() },
      });
      const good = fact('toolDefined', { pin, definitionJson: honest });
      const bad = fact('toolDefined', { pin, definitionJson: forged });
      const [one, two] = eventsOf(good, bad);
      const payload = Buffer.concat([one!.payload, two!.payload]);
      for (const request of [
        to(bad),
        to(good, bad),
        // The stream is named after the definition, but the fact says another pin.
        to(fact('toolDefined', { pin: sha256Hex(forged), definitionJson: honest })),
        // Another fact that this service records elsewhere.
        to(peer === 'mcp-bridge' ? fact('toolServerMet', { identity: 'x' }) : fact('runCanceled', { runId: 'r' })),
        // Of two fields of a union the last one counts.
        { ...to(good), events: [{ ...one!, payload }] },
      ])
        await expect(append(request)).rejects.toMatchObject({ kind: 'invalid_argument' });
      // Nothing was recorded: the stream is free for the definition that it is named after.
      expect((await append(to(good))).outcome.case).toBe('appended');
    },
  );

  test('a bridge reads how a call stands and its own streams, and no conversation', async () => {
    const story = await waiting();
    const bridge = way.clientOf('mcp-bridge');
    const call = { conversationId: story.id, runId: story.runId, callId: 'root#1.0' };
    expect((await bridge.readTicket(call)).ticket?.tool).toBe('add_resource');
    await bridge.getCondition({});
    await expect(bridge.listApprovals({})).rejects.toMatchObject(denied('mcp-bridge'));
    expect((await bridge.readStream({ stream: 'pins-x' })).headRevision).toBe(0);
    const refused = denied('mcp-bridge');
    await expect(bridge.readStream({ stream: story.stream })).rejects.toMatchObject(refused);
    await expect(bridge.getConversation({ conversationId: story.id })).rejects.toMatchObject(refused);
    await expect(bridge.follow({ stream: story.stream }).next()).rejects.toMatchObject(refused);
    await expect(bridge.subscribe({}).next()).rejects.toMatchObject(refused);
    const delta = { conversationId: story.id };
    await expect(bridge.publishDelta({ delta })).rejects.toMatchObject(refused);
  });

  test('who only reads changes nothing', async () => {
    for (const peer of ['gateway', 'operator', 'store'] as const) {
      const client = way.clientOf(peer);
      expect((await client.listStreams({})).streams).toEqual([]);
      const story = new Story();
      await expect(client.append(story.created())).rejects.toMatchObject(denied(peer));
      await expect(client.heartbeat({ instance: 'x', role: 'orchestrator' })).rejects.toMatchObject(denied(peer));
      await expect(client.putBlob({ bytes: new Uint8Array([1]) })).rejects.toMatchObject(denied(peer));
    }
  });
});
