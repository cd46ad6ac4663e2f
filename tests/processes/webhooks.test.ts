/** Who tells webhooks of approvals: by the names on the record, over a real store, whatever becomes of the one. */
import { randomUUID } from 'node:crypto';
import { conversationStream, fact } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { attemptsMax, type Delivery, type Webhook } from '@stopgo/orchestrator';
import { facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  add,
  append,
  at,
  beginsAnew,
  configs,
  type Deliver,
  process,
  pushFacts,
  released,
  runBegins,
  taken,
} from './telling.ts';

let runId: string;
beforeEach(async () => {
  await beginsAnew();
  runId = await runBegins();
});

const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
const all = ['requested', 'voted', 'reminded', 'escalated', 'resolved'] as const;
const hook = (name: string, more: Partial<Webhook> = {}): [string, Webhook] => [
  name,
  { name, url: `https://${name}.example/`, secrets: [secret], events: all, allowPrivate: false, ...more },
];

/** A process that has these webhooks. */
const telling = (instance: string, deliver: Deliver, hooks: readonly [string, Webhook][], clock?: Clock) =>
  process(instance, deliver, clock, true, at.client, {}, new Map(hooks));

/** Somebody is asked. */
async function asked(
  ...notify: readonly string[]
): Promise<{ readonly approvalId: string; readonly revision: number }> {
  const approvalId = randomUUID();
  const call = { runId, stepId: 'root', callId: `root#1.${at.revision}`, tool: 'pay', server: 'bank' };
  const request = { ...call, approvalId, choices: ['approve', 'reject'], notify: [...notify] };
  // Nothing goes on until somebody decides.
  await append(fact('approvalRequested', request), fact('runReleased', { runId }));
  return { approvalId, revision: at.revision - 1 };
}

const resolved = (approvalId: string) =>
  append(fact('approvalResolved', { approvalId, runId, decision: facts.Decision.REJECTED, callId: '', tool: 'pay' }));

/** The parts of the id that it has: which event, and whom. */
const idOf = ({ headers }: Delivery): string => {
  const [conversation, ...rest] = (headers['webhook-id'] ?? '').split(':');
  expect(conversation).toBe(at.conversationId);
  return rest.join(':');
};
/** Takes each delivery, and keeps it. */
const into =
  (kept: Delivery[]): Deliver =>
  async (delivery) => {
    kept.push(delivery);
    return taken;
  };
const typeOf = ({ body }: Delivery): string => JSON.parse(body).type;
const due = async () => (await at.client.listDuePushes({})).pushes.map(({ conversationId }) => conversationId);

test('an event that names a webhook makes its conversation due, and nobody else is told', async () => {
  const told: Delivery[] = [];
  const one = await telling('one', into(told), [hook('finance'), hook('ops')]);
  await asked();
  await at.client.getPush({ conversationId: at.conversationId });
  expect(await due()).toEqual([]);
  const { approvalId, revision: first } = await asked('finance');
  await at.client.getPush({ conversationId: at.conversationId });
  expect(await due()).toEqual([at.conversationId]);
  await resolved(approvalId);
  await one.outbox.sweep();
  await released();
  expect(told.map((one) => `${idOf(one)} ${typeOf(one)}`)).toEqual([
    `${first}:finance approval.requested`,
    `${first + 2}:finance approval.resolved`,
  ]);
  expect(await due()).toEqual([]);
});

test('whoever died after telling is followed, and the notice has the same id, and the escalation one more receiver', async () => {
  const byOne: Delivery[] = [];
  const byOther: Delivery[] = [];
  const neverAnswered: Deliver = (delivery, signal) => {
    byOne.push(delivery);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  const one = await telling('one', neverAnswered, [hook('finance')]);
  const { approvalId, revision: first } = await asked('finance');
  await one.outbox.sweep();
  await vi.waitFor(() => expect(byOne.length).toBe(1), 30_000);
  one.freeze();
  await append(fact('approvalEscalated', { approvalId, runId, number: 1, notify: ['ops'] }));
  const other = await telling('other', into(byOther), [hook('finance'), hook('ops')]);
  await vi.waitFor(
    async () => {
      await other.outbox.sweep();
      expect(byOther.length).toBe(3);
    },
    { timeout: 10_000, interval: 20 },
  );
  expect(idOf(byOther[0]!)).toBe(idOf(byOne[0]!));
  expect(byOther.map(idOf).sort()).toEqual([`${first}:finance`, `${first + 2}:finance`, `${first + 2}:ops`].sort());
});

test('one that is given up is told of the next approval that names it, also of one that was asked meanwhile', async () => {
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      if (ms > 800) aheadMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const sent: string[] = [];
  let second = 0;
  const one = await telling(
    'one',
    async (delivery) => {
      const id = idOf(delivery);
      sent.push(id);
      if (sent.length === 3) {
        second = (await asked('finance')).revision;
      }
      return id === `${first}:finance` ? { kind: 'failed', reason: 'it answered with HTTP 500' } : taken;
    },
    [hook('finance')],
    clock,
  );
  const { revision: first } = await asked('finance');
  await vi.waitFor(
    async () => {
      await one.outbox.sweep();
      expect(second === 0 ? [] : sent).toContain(`${second}:finance`);
    },
    { timeout: 20_000, interval: 20 },
  );
  await released();
  const attempts = (await pushFacts()).flatMap((made) => (made.case === 'pushAttempted' ? [made.value] : []));
  expect(attempts.filter(({ eventRevision }) => eventRevision === first).length).toBe(attemptsMax);
  expect(await configs()).toMatchObject([{ webhook: 'finance', givenUp: false, deliveries: 1, failures: 0 }]);
  // It is not begun anew for what it was given up over.
  expect((await pushFacts()).filter((made) => made.case === 'pushConfigured').length).toBe(2);
});

test('a name that is not configured here fails, an event that is not wanted is skipped, and no address waits for either', async () => {
  const sent: Delivery[] = [];
  const one = await telling('one', into(sent), [hook('ops', { events: ['resolved'] })]);
  await add(one.outbox);
  const { approvalId } = await asked('ops', 'gone');
  await resolved(approvalId);
  await append(fact('runFailed', { runId, text: 'no' }));
  await one.outbox.sweep();
  await vi.waitFor(async () => {
    const byName = new Map((await configs()).map((config) => [config.webhook, config]));
    expect(byName.get('gone')?.failure).toBe('no webhook of this name is configured here');
    expect(byName.get('ops')?.deliveries).toBe(1);
    expect(byName.get('')?.deliveries).toBe(2);
  }, 10_000);
  const shown = sent.map((one) => (one.headers['webhook-id'] === undefined ? 'task' : typeOf(one)));
  expect(new Set(shown)).toEqual(new Set(['approval.resolved', 'task']));
});

test('nobody takes a webhook off a conversation, or puts an address in its place', async () => {
  const one = await telling('one', async () => taken, [hook('finance')]);
  await asked('finance');
  await one.outbox.sweep();
  await released();
  await one.outbox.remove(at.conversationId, 'webhook:finance', { kind: 'user', id: 'eve' });
  expect((await configs()).map(({ webhook }) => webhook)).toEqual(['finance']);
  expect(() => add(one.outbox, { configId: 'webhook:finance' })).toThrow(/must not begin/);
  expect((await at.client.verifyStream({ stream: conversationStream(at.conversationId) })).problems).toEqual([]);
});

test('an address that is set before a named webhook is introduced takes nothing from the webhook', async () => {
  const told: string[] = [];
  const one = await telling(
    'one',
    async (delivery) => {
      told.push(delivery.headers['webhook-id'] ?? 'the address');
      return taken;
    },
    [hook('finance')],
  );
  const { revision } = await asked('finance');
  // Nobody has got to it yet, and a peer that sees the task wait sets its address.
  await add(one.outbox);
  await released();
  expect(told).toContain(`${at.conversationId}:${revision}:finance`);
});

test('what was looked at once is not read again in each turn that follows', async () => {
  const whole = at.client;
  let read = 0;
  at.client = {
    ...whole,
    readStream: async (...given: Parameters<typeof whole.readStream>) => {
      const page = await whole.readStream(...given);
      if (given[0].stream === conversationStream(at.conversationId)) read += page.events.length;
      return page;
    },
  };
  const one = await telling('one', async () => taken, [hook('finance')]);
  const { approvalId } = await asked('finance');
  await resolved(approvalId);
  await append(fact('runFailed', { runId, text: 'no' }));
  await one.outbox.sweep();
  await released();
  const turns: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    read = 0;
    await append(fact('runFailed', { runId: await runBegins(), text: 'no' }));
    await at.client.getPush({ conversationId: at.conversationId });
    await one.outbox.sweep();
    await released();
    turns.push(read);
  }
  expect(Math.max(...turns)).toBeLessThanOrEqual(Math.max(...turns.slice(0, 3)));
});
