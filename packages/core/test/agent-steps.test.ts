import { AgentSteps, type ConversationState, cancelStep } from '@stopgo/core';
import { expect, test } from 'vitest';
import { fact } from '../src/events/facts.ts';
import { answered, asked, callsAgent, completes, drove, platformAgent, works } from './agents.ts';
import { dawn, given } from './specification.ts';
import { call, canceled, happened, opened, returns } from './story.ts';

const child = 'root#1.0/root';
const begun = [
  opened,
  asked('I want a refund.'),
  answered({ calls: [callsAgent('support/billing', 'Refund it.')] }),
  drove([works('root#1.0', 'support/billing')]),
] as const;
const asks = answered({ step: child, calls: [call('add', { name: 'refund' })] });

function stepsOf({ log, state }: ReturnType<typeof given>) {
  const steps = new AgentSteps(state);
  for (const event of log) steps.add(event);
  return steps.list();
}

test('an agent that called another waits for it, and for people once that one asks them', () => {
  const states = (story: ReturnType<typeof given>) => stepsOf(story).map(({ agent, state }) => [agent, state]);
  expect(states(given(...begun))).toEqual([
    ['agent', 'BLOCKED_ON_DEPENDENCY'],
    ['support/billing', 'WORKING'],
  ]);
  expect(states(given(...begun, asks))).toEqual([
    ['agent', 'BLOCKED_ON_INPUT'],
    ['support/billing', 'BLOCKED_ON_INPUT'],
  ]);
});

test('each says what it waits for by itself: the one that it called, or what people are asked', () => {
  const waits = (story: ReturnType<typeof given>) => stepsOf(story).map(({ waitsFor }) => waitsFor);
  const agent = { kind: 'agent', id: child };
  expect(waits(given(...begun))).toEqual([[agent], undefined]);
  const asking = given(...begun, asks);
  const [approval] = Object.keys(asking.state.run?.interrupts ?? {});
  expect(waits(asking)).toEqual([[agent], [{ kind: 'approval', id: approval }]]);
  expect(waits(given(...begun, asks, canceled))).toEqual([undefined, undefined]);
});

test('who took too long or too much has failed and says so; who worked below it was canceled', () => {
  const hasty = platformAgent('support/hasty', { executionMinutesMax: 30 });
  const frugal = platformAgent('support/frugal', { limits: { tokensMax: 1, onLimit: 'end' } });
  const more = [hasty, frugal];
  const calling = (name: string) =>
    [
      opened,
      asked('Go.'),
      answered({ calls: [callsAgent(name)] }),
      drove([works('root#1.0', name)], { more }),
      answered({ step: child, calls: [callsAgent('support/billing')] }, { more }),
    ] as const;
  const below = drove([works(`${child}#1.0`, 'support/billing')], { more });
  const late = dawn + 40 * 60_000;
  const ends = (story: ReturnType<typeof given>) => stepsOf(story).map((one) => [one.state, one.endedBy, one.error]);
  const tooLong = 'The agent support/hasty took longer than 30 minutes, which is as long as it may take.';
  expect(ends(given(...calling('support/hasty'), below, drove([], { now: late, more })))).toEqual([
    ['WORKING', undefined, undefined],
    ['FAILED', 'time', tooLong],
    ['CANCELED', 'time', tooLong],
  ]);
  expect(ends(given(...calling('support/frugal'))).slice(0, 2)).toEqual([
    ['WORKING', undefined, undefined],
    ['FAILED', 'limit', expect.stringContaining('tokens')],
  ]);
  const byAda = happened((state: ConversationState) => cancelStep(state, { stepId: child, by: 'ada', reason: '' }));
  expect(ends(given(...begun, byAda))[1]).toEqual([
    'CANCELED',
    'person',
    'The agent support/billing was canceled by ada.',
  ]);
});

test('only the events of the latest run count, and none that came after the state', () => {
  const earlier = given(...begun, asks, canceled);
  const story = given(...begun, asks, canceled, asked('Once more.'));
  const steps = new AgentSteps(story.state);
  for (const event of story.log.slice(earlier.log.length)) steps.add(event);
  expect(steps.list()).toEqual(stepsOf(story));
  const ofAnother = fact('runFailed', { runId: 'another', text: 'x' });
  expect(stepsOf(given(...begun, ofAnother))).toEqual(stepsOf(given(...begun)));
  const before = new AgentSteps(given(...begun).state);
  for (const event of given(...begun, asks, canceled).log) before.add(event);
  expect(before.list()).toEqual(stepsOf(given(...begun)));
});

test('what is done is told as it was: task, result, commit, who called it, and what its own models used', () => {
  const usage = { inputTokens: 10, outputTokens: 2 };
  const story = given(
    ...begun,
    answered({ step: child, calls: [call('list', {})], usage }),
    drove([returns(`${child}#1.0`, 'seen')]),
    answered({ step: child, calls: [completes('Refunded.', 'PARTIAL', { confidence: 0.5 })] }),
    answered({ calls: [completes('All done.')] }),
  );
  const [first, second] = stepsOf(story);
  expect(first).toMatchObject({
    ...{ id: 'root', agent: 'agent', state: 'COMPLETED', input: 'I want a refund.' },
    ...{ completion: { result: 'All done.' }, turns: 2, agentCalls: 1, toolCalls: 0 },
    source: { commit: 'c0ffee' },
  });
  expect(first).not.toHaveProperty('parent');
  expect(second).toMatchObject({
    ...{ id: child, agent: 'support/billing', parent: 'root', state: 'COMPLETED', input: 'Refund it.' },
    ...{ completion: { status: 'PARTIAL', result: 'Refunded.', confidence: 0.5 }, turns: 2, toolCalls: 1 },
    endedAt: expect.any(Number),
  });
  expect([first?.spent, second?.spent].map((spent) => spent?.inputTokens)).toEqual([2, 11]);
});

test('what goes on below when the run is canceled is canceled, and another run begins with nothing', () => {
  const story = given(...begun, asks, canceled);
  expect(stepsOf(story).map(({ state }) => state)).toEqual(['CANCELED', 'CANCELED']);
  const again = given(...begun, asks, canceled, asked('Once more.'));
  expect(stepsOf(again).map(({ input, state }) => [input, state])).toEqual([['Once more.', 'WORKING']]);
});

test('an agent that goes on when the run fails did not come to its own end', () => {
  const story = given(...begun);
  const failed = given(...begun, fact('runFailed', { runId: 'run-1', text: 'x' }));
  expect(stepsOf(failed).map(({ state, error }) => [state, error])).toEqual([
    ['FAILED', 'x'],
    ['CANCELED', 'x'],
  ]);
  expect(stepsOf(story)).toHaveLength(2);
});

test('while the run goes on, the keys of shared data stand with the agent that wrote them last', () => {
  const wrote = (key: string, callId: string) =>
    fact('runDataWritten', { runId: 'run-1', callId, callRevision: 4, key, bytes: 1 });
  const all = [
    wrote('b', 'root#1.1'),
    wrote('a', 'root#1.1'),
    wrote('c', `${child}#1.0`),
    wrote('b', `${child}/0#2.0`),
  ];
  const keys = (story: ReturnType<typeof given>) => stepsOf(story).map(({ sharedKeys }) => sharedKeys);
  expect(keys(given(...begun, ...all))).toEqual([['a'], ['c', 'b']]);
  expect(keys(given(...begun, ...all, canceled))).toEqual([undefined, undefined]);
});
