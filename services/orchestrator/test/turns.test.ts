import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type ConversationState, type Fact, fact, initialState, type RecordedFact } from '@stopgo/core';
import { create, views, orchestrator as wire } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { Registry } from '../src/driver/run/registry.ts';
import { type Turn, Turns } from '../src/turns.ts';
import { driverWith } from './driver/one-driver.ts';

const waitMs = 120_000;
/** What answers within that are not kept waiting for an agent that is away. */
const answeredMsMax = 5_000;
/** How late the store may show what another process waits for: a third of the time to live. */
const toldMs = 1_700;

type Call = { readonly phase: string; readonly questions?: readonly { readonly verdict?: string }[] };

/** A conversation whose run another process drives. */
function driven(calls: Readonly<Record<string, Call>>): ConversationState {
  const states = Object.entries(calls).map(([id, { phase, questions }]) => [
    id,
    { id, phase, stepId: 's', sent: { messageId: 'm', questions } },
  ]);
  const run = {
    ...{ id: 'r', status: 'open', owner: { instance: 'other', epoch: 1 }, messageRevision: 1 },
    ...{ calls: Object.fromEntries(states), steps: {}, interrupts: {} },
  };
  return { ...initialState, id: 'c', revision: 3, run } as unknown as ConversationState;
}

const decided: Call = { phase: 'asking', questions: [{ verdict: 'approved' }] };

/** The turns of a process that drives nothing; the store shows these waits, the log has these events, and no other comes. */
function following(waits: () => readonly views.RunWait[], events: readonly Fact[] = []) {
  const { clock, ports } = driverWith({});
  let looks = 0;
  const log: typeof ports.log = {
    ...ports.log,
    follow: (_, __, signal) => silence(signal),
    read: async function* () {
      yield* events.map((one, index) => ({ revision: index + 1, fact: one }) as unknown as RecordedFact);
    },
    view: async () => {
      looks += 1;
      const head = { id: 'c', run: { id: 'r', status: views.RunStatus.WORKING, messageRevision: 9 } };
      return create(views.ConversationViewSchema, { head, waits: [...waits()] });
    },
  };
  const registry = { ports: { ...ports, log }, driver: () => undefined } as unknown as Registry;
  return { clock, turns: new Turns(registry), looks: () => looks };
}

/** A stream of which nothing comes. */
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  yield* [];
}

const away = (sinceMs: number, runId = 'r', kind: views.WaitKind = views.WaitKind.AGENT): views.RunWait =>
  create(views.RunWaitSchema, { conversationId: 'c', runId, kind, name: 'peer', since: timestampFromMs(sinceMs) });

/** The answer of a request about a conversation, after how many milliseconds it came, and how often the store was asked. */
async function answered(state: ConversationState, waits: (nowMs: number) => readonly views.RunWait[]) {
  const { clock, turns, looks } = following(() => waits(clock.now()));
  let turn: Turn | undefined;
  void turns.ofState(state, waitMs).then((one) => {
    turn = one;
  });
  while (turn === undefined) await clock.pass(100);
  return { inMs: clock.now(), turn, looks: looks() };
}

test('a decision that waits for an agent that is away is answered soon, wherever the run is driven', async () => {
  const { inMs, turn } = await answered(driven({ k: decided }), (nowMs) => (nowMs < toldMs ? [] : [away(0)]));
  expect(inMs).toBeLessThan(answeredMsMax);
  expect(turn).toMatchObject({ outcome: wire.TurnOutcome.WORKING, view: { waits: [{ name: 'peer' }] } });
});

test('an agent is waited for as long as where it is asked, whatever the clock of the other process says', async () => {
  const { inMs } = await answered(driven({ k: decided }), () => [away(1_000_000)]);
  expect(inMs).toBeGreaterThan(1_500);
  expect(inMs).toBeLessThan(answeredMsMax);
});

test('an agent that answers again and again in time is waited for', async () => {
  const isAway = (nowMs: number) => nowMs % 1_500 < 1_000;
  const { inMs } = await answered(driven({ k: decided }), (nowMs) =>
    isAway(nowMs) ? [away(Math.floor(nowMs / 1_500) * 1_500)] : [],
  );
  expect(inMs).toBe(waitMs);
});

test.each<[string, Record<string, Call>, views.RunWait]>([
  ['other work', { k: decided, other: { phase: 'started' } }, away(0)],
  ['only the agent to do its work', { k: { phase: 'started' } }, away(0)],
  ['a question that was not decided', { k: { phase: 'asking', questions: [{}] }, other: { phase: 'ready' } }, away(0)],
  ['a model', { k: decided }, away(0, 'r', views.WaitKind.MODEL)],
  ['an agent of another run', { k: decided }, away(0, 'another')],
])('a request that waits for %s is kept', async (_, calls, wait) => {
  expect((await answered(driven(calls), () => [wait])).inMs).toBe(waitMs);
});

test('the store is asked nothing about a run that waits for no agent', async () => {
  const { looks } = await answered(driven({ k: { phase: 'started' } }), () => []);
  // Once, for the answer.
  expect(looks).toBe(1);
});

test('a repeat of a message that others have followed tells nothing of what the latest run waits for', async () => {
  const runId = 'before';
  const events = [fact('userMessageReceived', { runId, text: 'go' }), fact('runCanceled', { runId, reason: 'enough' })];
  const { turns } = following(() => [away(0)], events);
  const state = driven({});
  const latest = { ...state, run: state.run && { ...state.run, messageRevision: 3 } };
  const { outcome, view } = await turns.ofPast(latest, 1, 2, 0);
  expect({ outcome, run: view?.head?.run?.id, waits: view?.waits }).toEqual({
    ...{ outcome: wire.TurnOutcome.SETTLED, run: runId, waits: [] },
  });
});

test('a message that was taken as a token is told so again if it comes again, and another message is not', async () => {
  const { run, ...rest } = driven({});
  const later = { ...rest, run: { ...run, messageRevision: 9 } } as ConversationState;
  const repeated = (first: Fact) => following(() => [], [first]).turns.ofRepeat(later, 1, 1, 0);
  const token = fact('inputProvided', { inputId: 'i', runId: 'r' });
  expect((await repeated(token)).outcome).toBe(wire.TurnOutcome.RESUMED_WITH_TOKEN);
  const message = fact('userMessageReceived', { runId: 'r', text: 'hello' });
  expect((await repeated(message)).outcome).toBe(wire.TurnOutcome.WORKING);
});
