import type { Definitions } from '../agent/definitions.ts';
import { encodeFact, type Fact } from '../events/facts.ts';
import type { ConversationState } from '../state/state.ts';
import { appendEventsMax, appendReserveBytes } from '../text/bounds.ts';
import { type Advance, advance, anticipate } from './interpreter.ts';

/** So few facts that follow from others fit any append. */
const fewFacts = 3;

/**
 * What follows from a state, as much of it as fits an append that holds some facts already. If that is not all, nothing is
 * owed but the rest: it follows from the state that is given just as well.
 */
export function advanceInto(
  factsBefore: number,
  definitions: Definitions,
  state: ConversationState,
  now: number,
): Advance & { readonly isCut: boolean } {
  const ahead = advance(definitions, state, now);
  // One event is kept for the release.
  const fits = fitting(ahead.facts, appendEventsMax - factsBefore - 1);
  if (fits === ahead.facts.length) return { ...ahead, isCut: false };
  const facts = ahead.facts.slice(0, fits);
  return { facts, state: anticipate(state, facts, now), effects: [], isCut: true };
}

function fitting(all: readonly Fact[], eventsMax: number): number {
  if (all.length <= Math.min(fewFacts, eventsMax)) return all.length;
  let bytes = 0;
  for (const [index, one] of all.entries()) {
    if (index === eventsMax) return index;
    bytes += encodeFact(one).length;
    if (bytes > appendReserveBytes && index > 0) return index;
  }
  return all.length;
}
