import { type ConversationState, encodeFact } from '@stopgo/core';
import { expect, test } from 'vitest';
import { answered, asked, callsAgent, completes, drove, platformAgent, works } from './agents.ts';
import { given, type Happening } from './specification.ts';
import { opened } from './story.ts';

const rounds = 30;
const boss = platformAgent('boss', {}, { turnsMax: 100 });
const more = [boss, platformAgent('team/lead'), platformAgent('team/clerk')];

/** The boss calls the lead, who calls the clerk: two agents more, three one below another. */
function round(turn: number): readonly Happening[] {
  const lead = `root#${turn}.0`;
  const clerk = `${lead}/root#1.0`;
  return [
    answered({ calls: [callsAgent('team/lead')] }, { more }),
    drove([works(lead, 'team/lead')], { more }),
    answered({ step: `${lead}/root`, calls: [callsAgent('team/clerk')] }, { more }),
    drove([works(clerk, 'team/clerk')], { more }),
    answered({ step: `${clerk}/root`, calls: [completes('Filed.')] }, { more }),
    answered({ step: `${lead}/root`, calls: [completes('Done.')] }, { more }),
  ];
}

/** What a round added to the log, and how large the state is after it. */
function measured(count: number) {
  const happenings = Array.from({ length: count }, (_, index) => round(index + 1)).flat();
  const before = given(opened, asked('go', { agent: boss }), ...happenings.slice(0, -6));
  const after = given(opened, asked('go', { agent: boss }), ...happenings);
  const added = after.log.slice(before.log.length);
  return {
    facts: added.map(({ fact }) => fact.case),
    bytes: added.reduce((sum, { fact }) => sum + encodeFact(fact).length, 0),
    stateBytes: sizeOf(after.state),
  };
}

/** Sets and maps count as what they hold. */
const sizeOf = (state: ConversationState): number =>
  JSON.stringify(state, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value)).length;

test('the last two of sixty agents, three one below another, cost what the first did, and the state does not grow with them', () => {
  const third = measured(3);
  const last = measured(rounds);
  expect(last.facts).toEqual(third.facts);
  // Turns, revisions and counts have a digit or two more.
  expect(last.bytes - third.bytes).toBeLessThan(2 * 2 * third.facts.length);
  expect(last.stateBytes - third.stateBytes).toBeLessThan(40);
});
