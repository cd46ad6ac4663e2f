import { AgentSteps } from '@stopgo/core';
import { expect, test } from 'vitest';
import { fact } from '../src/events/facts.ts';
import { answered, asked, callsAgent, completes, drove, works } from './agents.ts';
import { given } from './specification.ts';
import { call, canceled, opened, returns } from './story.ts';

const child = 'root#1.0/root';
const begun = [
  opened,
  asked('I want a refund.'),
  answered({ calls: [callsAgent('support/billing', 'Refund it.')] }),
  drove([works('root#1.0', 'support/billing')]),
] as const;
const asks = answered({ step: child, calls: [call('add', { name: 'refund' })] });

function stepsOf({ log, state }: ReturnType<typeof given>) {
  const steps = new AgentSteps();
  for (const event of log) steps.add(event);
  return steps.of(state);
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
  const last = story.log.at(-1);
  if (last === undefined) throw new Error('nothing happened');
  const steps = new AgentSteps();
  for (const event of [...story.log, { ...last, fact: fact('runFailed', { runId: 'run-1', text: 'x' }) }])
    steps.add(event);
  expect(steps.of(story.state).map(({ state }) => state)).toEqual(['FAILED', 'CANCELED']);
});
