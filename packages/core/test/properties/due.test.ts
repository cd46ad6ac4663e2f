import {
  type ConversationState,
  decideRun,
  decodeSnapshot,
  definedAs,
  encodeSnapshot,
  evolve,
  type Fact,
  fold,
  foldVersion,
  initialState,
  isDue,
  nextDue,
  provideInput,
  type RecordedFact,
  type RunCommand,
  serverQuestions,
} from '@stopgo/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import { dawn, given, recorded } from '../specification.ts';
import {
  answered,
  assistant,
  call,
  digests,
  drove,
  modelAnswers,
  opened,
  said,
  samplingQuestion,
  serverAsks,
  serverQuestion,
  starts,
  tools,
} from '../story.ts';

const id = 'root#1.0';
const questions = [
  serverQuestion('q-1', { waitMs: 10_000 }),
  serverQuestion('q-2', { waitMs: 20_000 }),
  { ...samplingQuestion('s-1'), waitMs: 15_000 },
];
const asking = given(
  opened,
  said('note it'),
  answered({ calls: [call('note')] }),
  drove([starts(id)]),
  drove([serverAsks(id, questions)]),
);
const definitions = definedAs(digests, { agent: assistant, tools });

/** Who does something: a person, the model, the bridge, or another process that takes the run over; and how late it is then. */
type Move = {
  readonly who: 'person' | 'model' | 'bridge' | 'process' | 'nobody';
  readonly which: number;
  readonly afterMs: number;
};
const move: fc.Arbitrary<Move> = fc.record({
  who: fc.constantFrom('person', 'model', 'bridge', 'process', 'nobody'),
  which: fc.nat({ max: 2 }),
  afterMs: fc.nat({ max: 6_000 }),
});

/** What becomes of the questions, whoever is first: each append is decided on what is on the record by then. */
function play(moves: readonly Move[]): { log: readonly RecordedFact[]; state: ConversationState } {
  const log = [...asking.log];
  let { state } = asking;
  let now = dawn;
  let instance = state.run?.owner?.instance ?? '';
  const append = (facts: readonly Fact[]): void => {
    for (const event of recorded(facts, state.revision)) {
      log.push(event);
      state = evolve(state, event);
    }
  };
  const drives = (commands: readonly RunCommand[]): void => {
    const owner = state.run?.owner;
    const me = owner?.instance === instance ? owner : { instance, epoch: 0 };
    const decided = decideRun(state, commands, { definitions, runId: 'run-1', me, now });
    if (decided.kind !== 'append') throw new Error('the owner was fenced off');
    append(decided.facts);
    expect(isDue(state.run, now), 'whoever looks leaves nothing that is due').toBe(false);
  };
  for (const { who, which, afterMs } of moves) {
    now += afterMs;
    // Whether or not it is open still.
    const inputId = serverQuestions(asking.state.run)[which]?.id ?? '';
    switch (who) {
      case 'person': {
        const decided = provideInput(state, { now: 0, inputId, action: 'decline', contentJson: '' });
        if (decided.kind === 'append') append(decided.facts);
        break;
      }
      case 'model':
        drives([modelAnswers(inputId)]);
        break;
      case 'bridge':
        drives([serverAsks(id, questions.slice(which))]);
        break;
      case 'process': {
        const dead = instance;
        instance = `process-${log.length}`;
        drives([{ type: 'claim', dead: [dead] }]);
        break;
      }
      case 'nobody':
        drives([]);
    }
  }
  return { log, state };
}

test('of a question one end is on the record: an answer, or that its time is over, whichever was first', () => {
  const numRuns = tierOf(process.env) === 'quick' ? 100 : 400;
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      const { log, state } = play(moves);
      const asked = log.flatMap(({ fact }) => (fact.case === 'inputRequested' ? [fact.value.inputId] : []));
      const ends = log.flatMap(({ fact }) =>
        fact.case === 'inputProvided' || fact.case === 'inputWithdrawn' ? [fact.value.inputId] : [],
      );
      expect(asked, 'each is asked once').toHaveLength(questions.length);
      expect(new Set(ends).size, 'each ends once').toBe(ends.length);
      const open = serverQuestions(state.run).map((one) => one.id);
      expect([...ends, ...open].sort()).toEqual([...asked].sort());
      const times = serverQuestions(state.run).map(({ dueAt = 0 }) => dueAt);
      expect(nextDue(state.run)).toBe(times.length === 0 ? undefined : Math.min(...times));
      // A replay, and one that goes on from a snapshot, say the same.
      const half = fold(initialState, log.slice(0, log.length >> 1));
      const kept = decodeSnapshot(encodeSnapshot(half), foldVersion) as ConversationState;
      expect(fold(kept, log.slice(log.length >> 1))).toEqual(state);
    }),
    { numRuns },
  );
});
