/** New limits that an agent is given, over gRPC. */
import { DomainError, invalidArgument, type ResumeDecision } from '@stopgo/core';
import { limitMost, limitNames, mostOf, type NewLimit, newLimitsFromWire } from '@stopgo/core/limits';
import type { facts } from '@stopgo/proto';

/**
 * The limits of a request.
 *
 * @throws DomainError `invalid_argument` for a kind that is not known, or named twice, and for what is no limit.
 */
export function newLimitsOf(wired: readonly facts.NewLimit[]): readonly NewLimit[] {
  const limits = newLimitsFromWire(wired);
  if (limits.length < wired.length) throw invalidArgument('a limit is of no kind that is known here');
  for (const { kind, most } of limits) {
    if (limits.filter((one) => one.kind === kind).length > 1)
      throw invalidArgument(`${limitNames[kind]} is given twice`);
    if (most < 1 || most > limitMost[kind])
      throw invalidArgument(`${limitNames[kind]} must be more than 0 and at most ${mostOf(kind, limitMost[kind])}`);
  }
  return limits;
}

type Problem = Extract<ResumeDecision, { readonly kind: 'not_at_limit' | 'beyond' | 'used_up' }>;

/** Why a run does not go on with new limits. */
export function limitsRefused(conversationId: string, problem: Problem): DomainError {
  switch (problem.kind) {
    case 'not_at_limit':
      return new DomainError(
        'failed_precondition',
        `the run of conversation ${conversationId} is not paused at a limit of an agent that works: leave limits out`,
        { details: { reason: 'not_at_limit' } },
      );
    case 'beyond':
      return invalidArgument(
        `${limitNames[problem.limit]} must be at most ${problem.most}: the configuration allows a run no more (agent_execution.max_agent_calls)`,
      );
    default: {
      const name = limitNames[problem.limit];
      const used = mostOf(problem.limit, problem.used);
      const text = problem.isGiven
        ? `the agent has used ${used} already: ${name} must be more than that`
        : `the agent has used ${used}, which is what it may: give a new ${name} as well`;
      return new DomainError('failed_precondition', text, { details: { reason: 'limit_used' } });
    }
  }
}
