// People who change the arguments of calls that wait, and rules that judge what they change them to.
import { type Json, type Policy, parseJson, type RecordedFact } from '@stopgo/core';
import type { ToolEffect } from './gated.ts';
import type { Random } from './random.ts';

/** How often somebody who says yes says it to other arguments. */
const often = 0.5;
/** What people change an amount to: a model asks for less than `many`. */
const amounts = [0, 1, 2, 3, 4] as const;
/** From here on two people have to say yes. */
const many = 3;
/** From here on nobody may. */
const tooMany = 4;

/** No model meets these rules: only what people change a call to does. */
export const ofEdits: Policy = {
  rules: [
    { name: 'never', when: `has(args.n) && args.n >= ${tooMany}.0`, verdict: 'deny', reason: 'Not so many.' },
    {
      ...{ name: 'two', when: `has(args.n) && args.n >= ${many}.0`, verdict: 'ask', reason: 'Two decide.' },
      demand: { approvers: [], votes: 2, notRequester: false, remindAfterMs: [], escalations: [] },
    },
  ],
};

/** Rules that let everything be. */
export const noRules: Policy = { rules: [] };

/** Other arguments for a call, now and then. */
export function otherArguments(random: Random): string | undefined {
  if (!random.chance(often)) return undefined;
  const n = random.pick(amounts);
  return random.pick([`{"n":${n},"to":"a"}`, `{"to": "a", "n": ${n}}`]);
}

type CallPlace = Pick<ToolEffect, 'runId' | 'callId'>;

/** The last change of a call that the log holds; undefined if nobody changed it. */
export function lastEdit(facts: readonly RecordedFact[], { runId, callId }: CallPlace) {
  const found = facts.findLast(
    ({ fact }) => fact.case === 'callEdited' && fact.value.runId === runId && fact.value.callId === callId,
  );
  if (found?.fact.case !== 'callEdited') return undefined;
  return { revision: found.revision, argumentsJson: found.fact.value.call?.argumentsJson ?? '' };
}

/** So many people have to say yes to a call with these arguments, as the rules say; none if nobody may. Told without the rules. */
export function yesNeeded(argumentsJson: string): number | undefined {
  const read: Json | undefined = parseJson(argumentsJson);
  const n = typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as { n?: Json }).n : undefined;
  if (typeof n !== 'number' || n < many) return 1;
  return n < tooMany ? 2 : undefined;
}
