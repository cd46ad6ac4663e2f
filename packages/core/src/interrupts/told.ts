import { type Definitions, definitionOf } from '../agent/definitions.ts';
import { notifyOf } from '../policy/notify.ts';
import type { CallState, RunState } from '../state/state.ts';

/** The webhooks that are told of an approval of a call on the record; `rule`: the one that asks for it. */
export function toldOf(
  definitions: Definitions,
  run: RunState,
  { stepId, rule }: Pick<CallState, 'stepId'> & { readonly rule?: string | undefined },
): readonly string[] {
  return run.policyDigest === undefined ? [] : notifyOf(definitionOf(definitions, run, stepId).policy, rule);
}
