import {
  type ConversationState,
  evolve,
  evolveTrace,
  initialState,
  interruptsOf,
  type PictureNode,
  pendingApprovals,
  pictureOfRun,
  type RecordedFact,
  type RunTrace,
  runStanding,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { play } from './runner.ts';
import { agents, tapes } from './trees.ts';

const isWithdrawal = ({ fact }: RecordedFact) =>
  fact.case === 'approvalResolved' && fact.value.decision === facts.Decision.WITHDRAWN;

const all = (one: PictureNode): PictureNode[] => [one, ...one.children.flatMap(all)];

test('at every moment of every run the picture shows all that was done and all that waits, each once', () => {
  fc.assert(
    fc.property(agents, tapes, (agent, tape) => {
      let state: ConversationState = initialState;
      let trace: RunTrace | undefined;
      const seen: RecordedFact[] = [];
      for (const event of play(agent, tape).log) {
        seen.push(event);
        state = evolve(state, event);
        trace = evolveTrace(trace, event);
        if (trace === undefined || state.run === null) continue;
        const { root } = pictureOfRun(agent, trace, { ...state, run: state.run }, event.time);
        const nodes = all(root).map((one) => one.progress);
        const counted = (name: string) => seen.filter(({ fact }) => fact.case === name).length;
        const total = (of: (one: NonNullable<(typeof nodes)[number]>) => number) =>
          nodes.reduce((sum, one) => sum + (one === undefined ? 0 : of(one)), 0);
        expect(total((one) => one.executions)).toBe(counted('stepStarted'));
        // Every answer of the tests' model is one token.
        expect(root.progress?.inputTokens).toBe(counted('modelResponded'));
        const inputs =
          state.run.status === 'open' ? [...interruptsOf(state.run, 'input'), ...interruptsOf(state.run, 'auth')] : [];
        const asked = [...pendingApprovals(state.run), ...inputs.map(({ id }) => id)];
        expect(
          nodes
            .flatMap((one) => one?.waits ?? [])
            .map((wait) => wait.id)
            .sort(),
        ).toEqual(asked.sort());
        const statuses = nodes.map((one) => one?.status ?? '');
        const standing = runStanding(state);
        const isOpen = standing === 'working' || standing === 'waiting';
        // The append that ends the last step settles the run too, an event later.
        const isOver = ['done', 'failed'].includes(statuses[0] ?? '') || !isOpen;
        expect(statuses.some((one) => ['running', 'waiting', 'not reached'].includes(one))).toBe(!isOver);
        if (isOpen) expect(statuses).not.toContain('canceled');
        // What is pending is withdrawn an event before the run ends, or a late outcome comes; others may wait then.
        if (standing === 'waiting' && asked.length > 0 && !isWithdrawal(event))
          expect([statuses[0], statuses.includes('running')]).toEqual(['waiting', false]);
      }
    }),
    { numRuns: 60 },
  );
});
