import { type Definitions, definitionOf } from '../agent/definitions.ts';
import { notifyOf } from '../policy/notify.ts';
import type { CallState, RunState } from '../state/state.ts';

/** The webhooks that are told of an approval of a call on the record; `rules`: those that ask for it, else the one that it names. */
export function toldOf(
  definitions: Definitions,
  run: RunState,
  { stepId, rule }: Pick<CallState, 'stepId' | 'rule'>,
  rules = rule === undefined ? [] : [rule],
): readonly string[] {
  return run.policyDigest === undefined ? [] : notifyOf(definitionOf(definitions, run, stepId).policy, rules);
}
