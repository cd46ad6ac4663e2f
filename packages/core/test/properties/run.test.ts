import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import { evaluate } from './reference.ts';
import { play } from './runner.ts';
import { agents, tapes } from './trees.ts';
import { checkTurns } from './turns.ts';

/** Random runs per property. */
const numRuns = tierOf(process.env) === 'quick' ? 50 : 150;

describe('every run of every tree', () => {
  test('settles, owes nothing twice, asks before it acts, and is driven by one process', () => {
    fc.assert(
      fc.property(agents, tapes, (agent, tape) => {
        const { log, state } = play(agent, tape);
        checkTurns(agent, log);
        expect(state.run?.owner).toBeNull();
        const calls = log.flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : []));
        const answers = log.flatMap(({ fact }) =>
          fact.case === 'modelResponded' || fact.case === 'modelFailed'
            ? [`${fact.value.stepId}#${fact.value.turn}`]
            : [],
        );
        const ids = [...calls.map((one) => one.callId), ...answers];
        expect(new Set(ids).size, 'ids are unique over the run').toBe(ids.length);
        const asked = log.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [fact.value.approvalId] : []));
        const inputs = log.flatMap(({ fact }) => (fact.case === 'inputRequested' ? [fact.value.inputId] : []));
        expect(new Set([...asked, ...inputs]).size, 'every interrupt has an id of its own').toBe(
          asked.length + inputs.length,
        );
        const resolved = log.flatMap(({ fact }) => (fact.case === 'approvalResolved' ? [fact.value.approvalId] : []));
        expect(resolved.sort(), 'every approval is settled exactly once').toEqual(asked.sort());
      }),
      { numRuns },
    );
  });

  test('visits the nodes, writes the session state and answers as a plain recursion over the tree does', () => {
    fc.assert(
      fc.property(agents, tapes, (agent, tape) => {
        const { log } = play(agent, tape);
        const expected = evaluate(agent.root, log);
        fc.pre(expected !== undefined);
        if (expected === undefined) return;
        const { actual, wanted } = expected;
        expect(actual).toEqual(wanted);
      }),
      { numRuns },
    );
  });
});
