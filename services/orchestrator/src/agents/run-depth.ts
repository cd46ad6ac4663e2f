import { DomainError, quotedName, type RunDefinition } from '@stopgo/core';

/** Detail `reason` of the errors of {@link withinDepth}. */
export const callDepth = 'call_depth';

/**
 * What a run follows that asks for so many agents one below another; 0: it asks for nothing. A run may only be stricter than the configuration.
 *
 * @throws DomainError `invalid_argument` (reason=call_depth) for more than the configuration allows, and for an agent that calls no others.
 */
export function withinDepth(follows: RunDefinition, agent: string, depthMax: number): RunDefinition {
  if (depthMax === 0) return follows;
  const { calling } = follows;
  if (calling === undefined)
    throw refusal(
      `the agent ${quotedName(agent)} is of the configuration and calls no others; leave max_call_depth out`,
    );
  if (depthMax > calling.limits.depthMax)
    throw refusal(
      `max_call_depth of a run is at most ${calling.limits.depthMax}, as agent_execution.max_call_depth of the configuration says; ask for less, or leave it out`,
    );
  return { ...follows, calling: { ...calling, limits: { ...calling.limits, depthMax } } };
}

const refusal = (message: string): DomainError =>
  new DomainError('invalid_argument', message, { details: { reason: callDepth } });
