/** Processes that may tell the addresses of one conversation, over a real store. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, decodeRecorded, type Fact, fact, newEvents, pushStream, sha256Hex } from '@stopgo/core';
import { type Clock, Heartbeat, storeBeat, storeLog, systemClock } from '@stopgo/log';
import {
  type Delivered,
  type Delivery,
  Links,
  Outbox,
  type OutboxPorts,
  PushLog,
  PushSealer,
} from '@stopgo/orchestrator';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger, type Logger } from '@stopgo/runtime';
import { secretFilter } from '@stopgo/security';
import { startStore } from '@stopgo/store';
import { expect, onTestFinished, vi } from 'vitest';

export const quiet = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const ttlMs = 300;
const linkKey = randomBytes(32);
export const sealer = new PushSealer(randomBytes(32), randomBytes);
export const user = { kind: 'user', id: 'ann' } as const;
const noSecrets = { token: '', scheme: '', credentials: '' };
export const settings = { configId: '', url: 'https://a.example/', ...noSecrets, protocolVersion: '1.0' };

/** The store, and the conversation that is told of. */
export const at = {} as { client: Client<typeof store.StoreService>; conversationId: string; revision: number };

/** Begins {@link at}, before each test. */
export async function beginsAnew(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-push-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startStore({ dataDir: folder, log: quiet, instancesComplete: false });
  onTestFinished(running.stop);
  at.client = createInProcessClient(store.StoreService, running.service);
  [at.conversationId, at.revision] = [randomUUID(), 0];
  await append(fact('conversationCreated', { conversationId: at.conversationId, sessionId: 's', agentName: 'demo' }));
}

export async function append(...facts: readonly Fact[]): Promise<void> {
  const frame = { now: Date.now(), actor: user, causationId: '', correlationId: 's' };
  const ids = facts.map(() => randomUUID());
  const events = newEvents(facts, frame, ids);
  const stream = conversationStream(at.conversationId);
  await at.client.append({ stream, expectedRevision: at.revision, events, idempotencyKey: randomUUID() });
  at.revision += facts.length;
}

export async function runBegins(): Promise<string> {
  const [runId, digest] = [randomUUID(), sha256Hex('definition')];
  const owner = { instance: 'orchestrator-1', epoch: 1 };
  await append(
    fact('userMessageReceived', { runId, text: 'hello' }),
    fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner }),
  );
  return runId;
}

/** A run begins, and ends. Two changes of the task's state. */
export const aRun = async () => append(fact('runFailed', { runId: await runBegins(), text: 'no' }));

export type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
export const taken: Delivered = { kind: 'taken' };

/** Puts links on the record. */
export type MakeLink = ConstructorParameters<typeof Links>[0]['approvals']['makeLink'];

/** A process that may tell. `freeze`: it is not heard of any more, and knows nothing of that. */
export async function process(
  instance: string,
  deliver: Deliver,
  clock: Clock = systemClock,
  hasKey = true,
  views = at.client,
  limits: Pick<OutboxPorts, 'conversationsMax' | 'slots'> = {},
  webhooks: OutboxPorts['webhookPorts']['webhooks'] = new Map(),
  { makeLink, logger = quiet }: { readonly makeLink?: MakeLink; readonly logger?: Logger } = {},
) {
  const beat = storeBeat(at.client, ttlMs);
  const heartbeat = new Heartbeat({ beat, clock: systemClock, ttlMs, instance, role: 'orchestrator' });
  await heartbeat.renew();
  const beating = heartbeat.run(() => undefined);
  const log = storeLog(at.client);
  const ports = { log, store: views, clock, newId: randomUUID, random: () => 0.5 };
  const outbox = new Outbox({
    ...ports,
    ...limits,
    instance,
    liveness: heartbeat,
    logger,
    sealer: () => (hasKey ? sealer : undefined),
    allowPrivate: false,
    webhookPorts: {
      ...{ webhooks, agent: 'agent', secrets: secretFilter([]) },
      publicUrl: 'https://agent.example',
      links:
        makeLink === undefined
          ? undefined
          : new Links({ approvals: { makeLink }, key: linkKey }, 'https://agent.example', clock.monotonic),
    },
    pushes: new PushLog(ports),
    deliver,
    onFault: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    heartbeat.stop();
    await outbox.stop();
    await beating;
  });
  return { outbox, freeze: () => heartbeat.stop() };
}

export const keyOf = ({ headers }: Delivery): string => headers['Idempotency-Key'] ?? '';
export const add = (outbox: Outbox, more: Partial<typeof settings> = {}) =>
  outbox.set(at.conversationId, outbox.check({ ...settings, ...more }), user, at.revision);
export const configs = async () => (await at.client.getPush({ conversationId: at.conversationId })).push?.configs ?? [];
export const released = () =>
  vi.waitFor(
    async () => {
      const { push } = await at.client.getPush({ conversationId: at.conversationId });
      expect([push?.ownerInstance, push?.settledRevision]).toEqual(['', at.revision]);
    },
    { timeout: 20_000, interval: 10 },
  );

export async function pushFacts(): Promise<readonly Fact[]> {
  const { events } = await at.client.readStream({ stream: pushStream(at.conversationId) });
  return events.map((event) => decodeRecorded(event).fact);
}
