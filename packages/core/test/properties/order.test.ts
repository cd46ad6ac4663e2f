import { type AgentDefinition, type AgentNode, type Effect, type RunCommand, sha256Hex } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import { agentOf, call, llm, modelAnswered } from '../story.ts';
import { saidBy, settle } from './settle.ts';
import { told } from './told.ts';
import { agents, tapes } from './trees.ts';

const { DecisionKind } = approvals;

const numRuns = tierOf(process.env) === 'quick' ? 15 : 60;

/** What a model says depends on where it is asked, and on nothing else. */
function model({ id, stepId, turn }: Extract<Effect, { kind: 'model' }>): RunCommand {
  const dice = Buffer.from(sha256Hex(id), 'hex');
  if ((dice[0] ?? 0) < 12)
    return { type: 'modelFailed', stepId, turn, model: 'm', message: 'no', text: `LLM error: ${id}` };
  const names = ['list', 'add', 'put', 'note', 'remove', 'exit_loop', 'a2a_peer', 'a2a_bank'];
  const calls = Array.from({ length: (dice[1] ?? 0) % 3 }, (_, index) =>
    call(names[(dice[2 + index] ?? 0) % names.length] ?? '', { message: 'Do it.' }),
  );
  return modelAnswered({
    text: (dice[5] ?? 0) % 3 === 0 && calls.length > 0 ? '' : `${id} says`,
    calls,
    step: stepId,
    turn,
  });
}

/** A rejection that ends the run makes who was first matter. */
function goingOn(node: AgentNode): AgentNode {
  return !('children' in node)
    ? { ...node, onReject: 'continue' }
    : { ...node, children: node.children.map((child) => goingOn(child)) };
}

const decide = (callId: string) =>
  sha256Hex(callId).startsWith('a')
    ? ({ kind: DecisionKind.REJECT } as const)
    : ({ kind: DecisionKind.APPROVE } as const);

function inOrderOf(agent: AgentDefinition, tape: readonly number[]): readonly string[] {
  let drawn = 0;
  const pick = () => tape[drawn++ % tape.length] ?? 0;
  return saidBy(settle({ agent, model, decide, pick }));
}

test('whatever the order of answers, results and decisions, the same is said', () => {
  fc.assert(
    fc.property(agents, tapes, (drawn, tape) => {
      const agent = { ...drawn, root: goingOn(drawn.root) };
      expect(inOrderOf(agent, [...tape, 7])).toEqual(inOrderOf(agent, [0]));
    }),
    { numRuns },
  );
});

describe('three branches with two gated calls each', () => {
  const branch = (name: string) => llm({ name, approval: 'require', outputKey: name });
  const agent = agentOf({
    type: 'parallel',
    name: 'all',
    onError: 'fail',
    children: [branch('a'), branch('b'), branch('c')],
  });
  const asks = ({ stepId, turn }: Extract<Effect, { kind: 'model' }>): RunCommand =>
    turn === 1
      ? modelAnswered({ calls: [call('add'), call('remove')], step: stepId, turn })
      : modelAnswered({ text: `${stepId} is done.`, step: stepId, turn });
  const calls = ['0#1.0', '0#1.1', '1#1.0', '1#1.1', '2#1.0', '2#1.1'].map((id) => `root/${id}`);

  /** Decisions in an order; whatever else can happen happens at once, or only when all is decided. */
  const decidedIn = (order: readonly string[], late: boolean, reject?: string) => {
    const left = [...order];
    const pick = (moves: readonly string[]): number => {
      const other = moves.findIndex((name) => !name.endsWith('is decided'));
      const next = moves.indexOf(`${left[0]} is decided`);
      const models = moves.findIndex((name) => /^root\/\d#1$/.test(name));
      if (models >= 0) return models;
      if (next < 0 || (!late && other >= 0)) return Math.max(0, other);
      left.shift();
      return next;
    };
    return settle({
      agent,
      model: asks,
      pick,
      decide: (id) => ({ kind: id === reject ? DecisionKind.REJECT : DecisionKind.APPROVE }),
    });
  };

  test.each([true, false])(
    'run each tool once in every order of decisions (all 720, calls wait for the last one: %s; else every 7th)',
    (late) => {
      const wanted = saidBy(decidedIn(calls, false));
      const all = permutations(calls);
      for (const order of late ? all : all.filter((_, index) => index % 7 === 0)) {
        const log = decidedIn(order, late);
        const started = log.flatMap(({ fact }) => (fact.case === 'toolCallStarted' ? [fact.value.callId] : []));
        expect(started.toSorted()).toEqual(calls);
        expect(saidBy(log)).toEqual(wanted);
      }
    },
  );

  test('one rejected of two: the model of that branch is told, the others go on', () => {
    for (const order of permutations(calls).filter((_, index) => index % 24 === 0)) {
      const log = decidedIn(order, true, 'root/1#1.0');
      const started = log.flatMap(({ fact }) => (fact.case === 'toolCallStarted' ? [fact.value.callId] : []));
      expect(started.toSorted()).toEqual(calls.filter((id) => id !== 'root/1#1.0'));
      expect(log.filter(({ fact }) => fact.case === 'modelResponded')).toHaveLength(6);
    }
  });
});

test('a hundred branches that write at once: every key is there, and the answer has the order of the file', () => {
  const children = Array.from({ length: 100 }, (_, index) => llm({ name: `n${index}`, outputKey: `k${index}` }));
  const agent = agentOf({
    type: 'sequential',
    name: 'pipe',
    children: [
      { type: 'parallel', name: 'wide', onError: 'fail', children, outputKey: 'all' },
      llm({ name: 'last', prompt: children.map((_, index) => `{k${index}}`).join(' ') }),
    ],
  });
  const says = ({ stepId, turn }: Extract<Effect, { kind: 'model' }>): RunCommand =>
    modelAnswered({ text: stepId.replaceAll('/', '-'), step: stepId, turn });
  const pick = (moves: readonly string[]) => Number.parseInt(sha256Hex(moves.join()).slice(0, 8), 16);
  const log = settle({ agent, model: says, decide, pick });
  const story = told(agent.root, log);
  expect(story?.sessionState.all?.split('\n')).toEqual(children.map((_, index) => `root-0-${index}`));
  expect(story?.prompts['root/1']?.split(' ')).toEqual(children.map((_, index) => `root-0-${index}`));
});

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) =>
    permutations([...all.slice(0, index), ...all.slice(index + 1)]).map((rest) => [one, ...rest]),
  );
}
