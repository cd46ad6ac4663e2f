/** Who tells webhooks of approvals: by the names on the record, over a real store, whatever becomes of the one. */
import { randomUUID } from 'node:crypto';
import { conversationStream, DomainError, fact, linkDigestOf } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { attemptsMax, type Delivery, linkAttemptsMax, type Webhook } from '@stopgo/orchestrator';
import { approvals, create, facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  add,
  append,
  at,
  beginsAnew,
  configs,
  type Deliver,
  type MakeLink,
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
const telling = (
  instance: string,
  deliver: Deliver,
  hooks: readonly [string, Webhook][],
  clock?: Clock,
  more?: Parameters<typeof process>[7],
) => process(instance, deliver, clock, true, at.client, {}, new Map(hooks), more);

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
/** Time that passes with each pause that is worth the name. */
function hurrying(): Clock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      if (ms > 800) aheadMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const attempts = async () => (await pushFacts()).flatMap((made) => (made.case === 'pushAttempted' ? [made.value] : []));
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
    hurrying(),
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
  expect((await attempts()).filter(({ eventRevision }) => eventRevision === first).length).toBe(attemptsMax);
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

test('what is asked while a telling ends is told at once, and waits for no sweep', async () => {
  const whole = at.client;
  let isHeld: (() => void) | undefined;
  let goOn: () => void = () => undefined;
  const views = {
    ...whole,
    getPush: async (...given: Parameters<typeof whole.getPush>) => {
      const answer = await whole.getPush(...given);
      // The answer is what it was then.
      if (isHeld !== undefined) {
        isHeld();
        isHeld = undefined;
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
      return answer;
    },
  };
  const told: Delivery[] = [];
  const one = await process('one', into(told), systemClock, true, views, {}, new Map([hook('finance')]));
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  one.outbox.asked(at.conversationId);
  await held;
  await asked('finance');
  one.outbox.asked(at.conversationId);
  goOn();
  await vi.waitFor(() => expect(told.length).toBe(1), 30_000);
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

/** An approvals service that puts each link on the record; `fails` says how one is refused. */
function linkMaker(fails: () => Error | undefined = () => undefined) {
  const digests: string[] = [];
  const makeLink: MakeLink = async ({ digest = '' }) => {
    const failure = fails();
    if (failure !== undefined) throw failure;
    digests.push(digest);
    return create(approvals.MakeLinkResponseSchema, { expiresAt: { seconds: 4_000_000_000n, nanos: 0 } });
  };
  return { digests, makeLink };
}

const linkIn = ({ body }: Delivery): { url: string; user: string } | undefined => JSON.parse(body).data.link;
const textIn = (delivery: Delivery): string => linkIn(delivery)?.url.split('/').at(-1) ?? '';
const forFay = hook('finance', { linkFor: 'fay@x.example' });

test('what asks brings a link, the same each time it is told; what was settled meanwhile, and other news, bring none', async () => {
  const sent: Delivery[] = [];
  const { digests, makeLink } = linkMaker();
  const flaky: Deliver = async (delivery) => {
    sent.push(delivery);
    return sent.length === 1 ? { kind: 'failed', reason: 'it answered with HTTP 500' } : taken;
  };
  const one = await telling('one', flaky, [forFay, hook('ops')], systemClock, { makeLink });
  const { approvalId } = await asked('finance');
  await one.outbox.sweep();
  await vi.waitFor(() => expect(sent.length).toBe(2), 30_000);
  const [first, again] = sent.map(textIn);
  expect(again).toBe(first);
  expect(new Set(digests)).toEqual(new Set([linkDigestOf(first ?? '')]));
  expect(linkIn(sent[0]!)).toEqual({
    url: `https://agent.example/links/${first}`,
    ...{ user: 'fay@x.example', expires_at: '2096-10-02T07:06:40.000Z' },
  });
  await released();
  await append(fact('approvalReminded', { approvalId, runId, number: 1 }));
  await one.outbox.sweep();
  await vi.waitFor(() => expect(sent.length).toBe(3), 30_000);
  await released();
  expect(textIn(sent[2]!)).not.toBe(first);
  await append(fact('approvalVoted', { approvalId, runId, decision: facts.Decision.APPROVED }));
  await one.outbox.sweep();
  await vi.waitFor(() => expect(sent.length).toBe(4), 30_000);
  expect([typeOf(sent[3]!), linkIn(sent[3]!)]).toEqual(['approval.voted', undefined]);
  await released();
  // Told only after it was settled: there is nothing to decide any more.
  await append(
    fact('approvalEscalated', { approvalId, runId, number: 1, notify: ['ops'] }),
    fact('approvalResolved', { approvalId, runId, decision: facts.Decision.REJECTED, callId: '', tool: 'pay' }),
  );
  await one.outbox.sweep();
  await vi.waitFor(() => expect(sent.length).toBe(8), 30_000);
  expect(sent.slice(4).map(linkIn)).toEqual([undefined, undefined, undefined, undefined]);
});

const noLink = 'its link could not be made: the approvals service does not answer';

test('while no link can be made nothing is told and nothing given up; then it is told, with its link', async () => {
  const sent: Delivery[] = [];
  let isAway = true;
  const { makeLink } = linkMaker(() => (isAway ? new DomainError('unavailable', 'nobody answers') : undefined));
  const one = await telling('one', into(sent), [forFay], hurrying(), { makeLink });
  await asked('finance');
  await vi.waitFor(
    async () => {
      await one.outbox.sweep();
      const reasons = (await attempts()).map(({ reason }) => reason);
      isAway = reasons.length < linkAttemptsMax - 1;
      expect(reasons).toEqual([...Array.from({ length: reasons.length - 1 }, () => noLink), '']);
    },
    { timeout: 20_000, interval: 20 },
  );
  expect(new Set(sent.map(textIn))).toEqual(new Set([expect.stringMatching(/^sgl_/)]));
});

test('where no link can be made for long it is told without, and its address has all its attempts', async () => {
  const sent: Delivery[] = [];
  const { makeLink } = linkMaker(() => new DomainError('unavailable', 'nobody answers'));
  const refusing: Deliver = async (delivery) => {
    sent.push(delivery);
    return { kind: 'failed', reason: 'it answered with HTTP 500' };
  };
  const one = await telling('one', refusing, [forFay], hurrying(), { makeLink });
  await asked('finance');
  await vi.waitFor(
    async () => {
      await one.outbox.sweep();
      expect(await configs()).toMatchObject([{ givenUp: true, failures: linkAttemptsMax + attemptsMax }]);
    },
    { timeout: 20_000, interval: 20 },
  );
  const reasons = (await attempts()).map(({ reason }) => reason);
  expect(reasons).toEqual([
    ...Array.from({ length: linkAttemptsMax }, () => noLink),
    ...Array.from({ length: attemptsMax }, () => 'it answered with HTTP 500'),
  ]);
  expect(sent.map(linkIn).filter((link) => link !== undefined)).toEqual([]);
});

test('where there is nobody to make a link for it is told without, and a line says so once', async () => {
  const sent: Delivery[] = [];
  let lines = '';
  const write = (line: string) => {
    lines += line;
    return true;
  };
  const logger = createLogger({ level: 'info', format: 'text', destination: { write } });
  const nobody = linkMaker(() => new DomainError('failed_precondition', 'no', { details: { reason: 'no_user' } }));
  const one = await telling('one', into(sent), [forFay], systemClock, { makeLink: nobody.makeLink, logger });
  await asked('finance');
  await asked('finance');
  await one.outbox.sweep();
  await released();
  expect(sent.map(linkIn)).toEqual([undefined, undefined]);
  expect(lines.match(/a webhook is told of approvals without a link/g)).toHaveLength(1);
});
