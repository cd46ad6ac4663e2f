import { type AgentDefinition, type AgentNode, canceledByUser, type Fact, fact, type RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { runsOf, wrongInRun } from './tree-rules.ts';

// Two branches beside each other and a node after them, told as it should be, and forged in each of its parts.

const { ApprovalKind, Decision, Disposition } = facts;
const llm = (name: string, prompt = ''): AgentNode => {
  const common = { type: 'llm', model: 'm', canExitLoop: false, turnsMax: 3, approval: 'require' } as const;
  return { ...common, name, prompt, outputKey: name };
};
const branches: AgentNode = { type: 'parallel', name: 'both', onError: 'fail', children: [llm('a'), llm('b')] };
const root: AgentNode = { type: 'sequential', name: 'pipe', children: [branches, llm('c', 'After {a}.')] };
const agent: AgentDefinition = { name: 'tree', root };

const run = { runId: 'r' };
const begins = (stepId: string, bindings: facts.StepStarted['bindings'] = []): Fact =>
  fact('stepStarted', { ...run, stepId, bindings });
const asks = (stepId: string): Fact => {
  const call = { callId: `${stepId}#1.0`, tool: 'add', argumentsJson: '{}', disposition: Disposition.GATED };
  return fact('modelResponded', { ...run, stepId, turn: 1, calls: [call] });
};
const waits = (stepId: string): Fact =>
  fact('approvalRequested', { ...run, approvalId: stepId, callId: `${stepId}#1.0`, kind: ApprovalKind.TOOL });
const decided = (stepId: string, decision: facts.Decision): Fact =>
  fact('approvalResolved', { ...run, approvalId: stepId, callId: `${stepId}#1.0`, decision });
const starts = (stepId: string): Fact =>
  fact('toolCallStarted', { ...run, stepId, callId: `${stepId}#1.0`, attempt: 1 });
const returns = (stepId: string): Fact =>
  fact('toolCallFinished', { ...run, stepId, callId: `${stepId}#1.0`, attempt: 1, content: 'added' });
const says = (stepId: string, text: string): Fact => fact('modelResponded', { ...run, stepId, turn: 2, text });
const text = (...texts: readonly string[]) => ({ parts: texts.map((one) => ({ text: one })) });
const ends = (stepId: string, ...texts: readonly string[]): Fact =>
  fact('stepFinished', { ...run, stepId, output: text(...texts) });
const sets = (key: string, value: string): Fact => fact('stateSet', { ...run, stepId: '', key, value: text(value) });
const completes = (value: string): Fact => fact('runCompleted', { ...run, output: text(value) });

const [first, second] = ['root/0/0', 'root/0/1'] as const;
const begun = [
  fact('runStarted', { ...run, agentDigest: 'd', pipeline: true }),
  ...[begins('root'), begins('root/0'), begins(first), begins(second)],
  ...[asks(first), waits(first), asks(second), waits(second)],
];
const afterA = begins('root/1', [{ key: 'a', value: text('A') }] as facts.StepStarted['bindings']);
const story: readonly Fact[] = [
  ...begun,
  ...[decided(second, Decision.APPROVED), starts(second), returns(second), says(second, 'B'), sets('b', 'B')],
  ...[ends(second, 'B'), decided(first, Decision.APPROVED), starts(first), returns(first), says(first, 'A')],
  ...[sets('a', 'A'), ends(first, 'A'), ends('root/0', 'A', 'B')],
  ...[afterA, says('root/1', 'C'), ends('root/1', 'C'), ends('root', 'C'), completes('C')],
];
const rejected: readonly Fact[] = [
  ...begun,
  ...[decided(second, Decision.APPROVED), decided(first, Decision.REJECTED), completes(canceledByUser)],
];

function wrong(all: readonly Fact[]): string {
  const actor = { kind: 'system', id: 'o' } as const;
  const frame = { stream: 's', eventId: '', time: 0, actor, causationId: '', correlationId: '' };
  const events: RecordedFact[] = all.map((one, index) => ({ ...frame, revision: index + 1, fact: one }));
  return runsOf('here', events, () => agent)
    .flatMap(wrongInRun)
    .map(({ rule, what }) => `(${rule}) ${what}`)
    .join('\n');
}

const without = (all: readonly Fact[], gone: Fact): readonly Fact[] => all.filter((one) => one !== gone);
const before = (all: readonly Fact[], place: (one: Fact) => boolean, more: readonly Fact[]): readonly Fact[] =>
  all.flatMap((one) => (place(one) ? [...more, one] : [one]));
const isEnd = (one: Fact): boolean => one.case === 'runCompleted';
const isEndOf =
  (stepId: string) =>
  (one: Fact): boolean =>
    one.case === 'stepFinished' && one.value.stepId === stepId;

test('stories as they should be have nothing wrong with them', () => {
  expect(wrong(story)).toBe('');
  expect(wrong(rejected)).toBe('');
});

describe('the rules see', () => {
  test.each<[string, readonly Fact[], string]>([
    ['a step before its turn', before(story, isEndOf('root/0'), [begins('root/1')]), 'root/1 begins though root/0'],
    ['a finished step again', before(story, isEndOf('root/0'), [begins(first)]), `${first} begins again`],
    ['a step inside of one that is over', [...without(story, afterA), afterA], 'does not go on'],
    [
      'a step that begins with what is not written',
      without(story, story.find((one) => one.case === 'stateSet' && one.value.key === 'a')!),
      'as it was not written last',
    ],
    [
      'a branch that is lost',
      story.map((one) => (isEndOf('root/0')(one) ? ends('root/0', 'A') : one)),
      'lost what its branches came to',
    ],
    [
      'a node that ends before its branch',
      before(without(story, story.find(isEndOf(first))!), isEnd, []),
      'ends while',
    ],
    ['a call without an end', without(story, story.find((one) => one.case === 'toolCallFinished')!), 'has no end'],
    [
      'a call that starts after the rejection',
      before(rejected, isEnd, [starts(second)]),
      'toolCallStarted after the rejection',
    ],
    [
      'an approval that is never withdrawn',
      without(rejected, rejected.find((one) => one.case === 'approvalResolved')!),
      'were never withdrawn',
    ],
    ['a run that goes on after a rejection', rejected.slice(0, -1), 'goes on after the rejection'],
    [
      'a run that hides a rejection',
      [...rejected.slice(0, -1), completes('done')],
      'ends otherwise than by the rejection',
    ],
  ])('%s', (_, forged, what) => {
    expect(wrong(forged)).toContain(what);
  });
});
