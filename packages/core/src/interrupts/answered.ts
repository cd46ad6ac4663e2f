import type { Interrupt } from '../state/interrupt.ts';
import { withCall, withResult } from '../state/run-changes.ts';
import type { AskedQuestion, CallOutcome, RunState } from '../state/state.ts';
import { withVerdict } from './evolve-questions.ts';

/** What an answer makes of the call that was asked about. */
export type Answered =
  /** It may run; by this approval, if it was one. */
  | { readonly kind: 'ready'; readonly approvalId?: string }
  /** It is over, and the answer is its result. */
  | {
      readonly kind: 'result';
      readonly outcome: CallOutcome;
      readonly saysSomething: boolean;
      /** A model is told why: what it asked for goes on without the call. */
      readonly isExplained?: boolean;
    }
  /** The agent that asked is given it. */
  | { readonly kind: 'passed_on'; readonly verdict: NonNullable<AskedQuestion['verdict']> }
  /** Nobody has answered, and nobody needs to any more. */
  | { readonly kind: 'nothing' };

/** The run after an answer, by the event at this revision. */
export function withAnswer(run: RunState, { id, callId }: Interrupt, answered: Answered, revision: number): RunState {
  switch (answered.kind) {
    case 'ready': {
      const { approvalId } = answered;
      return withCall(run, callId, { phase: 'ready', ...(approvalId === undefined ? {} : { approvalId }) });
    }
    case 'result': {
      const { outcome, saysSomething, isExplained = false } = answered;
      const explained = isExplained ? { explained: true as const } : {};
      const next = withCall(run, callId, { phase: 'done', outcome, resultRevision: revision, ...explained });
      return next === run || !saysSomething ? next : withResult(next, callId, revision);
    }
    case 'passed_on':
      return withVerdict(run, callId, id, answered.verdict, revision);
    case 'nothing':
      return run;
  }
}
