import type { ConversationState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { answered, asked, callsAgent, completes, drove, platformAgent, works } from './agents.ts';
import { Rows } from './rows.ts';
import { given } from './specification.ts';
import * as story from './story.ts';

const usage = (inputTokens: number, outputTokens: number, costNanoUsd?: number) => ({
  ...{ inputTokens, outputTokens },
  ...(costNanoUsd === undefined ? {} : { costNanoUsd }),
});
const spent = ({ run }: ConversationState) => run?.spent;

const more = { more: [platformAgent('support/clerk')] };
const child = 'root#1.0/root';
const working = [
  story.opened,
  asked('I want a refund.'),
  answered({ calls: [callsAgent('support/billing')], usage: usage(100, 10, 5_000) }),
  drove([works('root#1.0', 'support/billing')]),
  answered({ step: child, calls: [callsAgent('support/clerk')], usage: usage(200, 20, 70) }, more),
  drove([works(`${child}#1.0`, 'support/clerk')], more),
] as const;
const audited = [
  ...working,
  answered({ step: `${child}#1.0/root`, calls: [completes('Fine.')], usage: usage(1_000, 1) }, more),
] as const;
const returned = [
  ...audited,
  answered({ step: child, calls: [completes('Refunded.')], usage: usage(5, 5, 1) }, more),
] as const;

test('a run counts what every answer in it used, once, and the answers of which no price is known', () => {
  expect(spent(given(story.opened, asked('Hello.')).state)).toBeUndefined();
  expect(spent(given(...working).state)).toEqual({ inputTokens: 300, outputTokens: 30, costNanoUsd: 5_070 });
  expect(spent(given(...audited).state)).toEqual({
    ...{ inputTokens: 1_300, outputTokens: 31, costNanoUsd: 5_070, unpriced: 1 },
  });
  const after = given(...returned, answered({ calls: [completes('Done.')], usage: usage(1, 1, 2) }));
  const all = { inputTokens: 1_306, outputTokens: 37, costNanoUsd: 5_073, unpriced: 1 };
  expect(after.state.run).toMatchObject({ status: 'completed', spent: all });
  const rows = new Rows();
  rows.add(after.log);
  expect(rows.head?.run?.usage).toMatchObject({
    ...{ inputTokens: 1_306, outputTokens: 37, costNanoUsd: 5_073n, unpricedAnswers: 1 },
  });
});

test('an agent that was called says what it used with all that it called', () => {
  const ends = given(...returned).log.flatMap(({ fact }) => (fact.case === 'agentReturned' ? [fact.value] : []));
  expect(ends.map(({ agent, usage: used }) => [agent, used])).toEqual([
    ['support/clerk', expect.objectContaining({ inputTokens: 1_000, outputTokens: 1, unpricedAnswers: 1 })],
    ['support/billing', expect.objectContaining({ inputTokens: 1_205, costNanoUsd: 71n, unpricedAnswers: 1 })],
  ]);
  expect(ends[0]?.usage?.costNanoUsd).toBeUndefined();
});

test('an answer to a tool server counts, what failed does not, and each run counts its own', () => {
  const id = 'root#1.0';
  const underWay = [
    ...[story.opened, story.said('note it')],
    story.answered({ calls: [story.call('note')], usage: usage(10, 10, 100) }),
    ...[story.drove([story.starts(id)]), story.drove([story.serverAsks(id, [story.samplingQuestion()])])],
  ];
  const inputId = Object.keys(given(...underWay).state.run?.interrupts ?? {})[0] ?? '';
  const answers = { ...story.modelAnswers(inputId), usage: usage(7, 3, 40) };
  const told = given(...underWay, story.drove([answers]));
  expect(spent(told.state)).toEqual({ inputTokens: 17, outputTokens: 13, costNanoUsd: 140 });
  const failed = given(...underWay, story.drove([story.modelAnswers(inputId, '', 'the model is away')]));
  expect(spent(failed.state)).toEqual({ inputTokens: 10, outputTokens: 10, costNanoUsd: 100 });
  const again = given(
    ...[story.opened, story.said('one'), story.answered({ text: 'One.', usage: usage(1, 1, 1) })],
    story.said('two'),
  );
  expect(spent(again.state)).toBeUndefined();
});

test('no sum grows beyond what is an exact number', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const { state } = given(
    ...[story.opened, story.said('go')],
    story.answered({ calls: [story.call('list')], usage: usage(1, 1, most) }),
    story.drove([story.returns('root#1.0')]),
    story.answered({ text: 'Done.', usage: usage(1, 1, most) }),
  );
  expect(spent(state)).toEqual({ inputTokens: 2, outputTokens: 2, costNanoUsd: most });
});

test.each([
  ['that is no number', usage(Number.NaN, 2, Number.NaN), { inputTokens: 0, outputTokens: 2, unpriced: 1 }],
  ['that no field holds', usage(5e9, 2, 7), { inputTokens: 2 ** 32 - 1, outputTokens: 2, costNanoUsd: 7 }],
  ['below zero', usage(-1, 2, -7), { inputTokens: 0, outputTokens: 2, unpriced: 1 }],
  ['that is not whole', usage(1.5, 2, 7), { inputTokens: 1, outputTokens: 2, costNanoUsd: 7 }],
])('an amount %s does not keep an answer from being recorded', (_, said, counted) => {
  const { state } = given(story.opened, asked('Hello.'), answered({ calls: [completes('Hi.')], usage: said }));
  expect([state.run?.status, spent(state)]).toEqual(['completed', counted]);
});
