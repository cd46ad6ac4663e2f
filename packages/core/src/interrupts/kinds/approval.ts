/** A yes or a no of people: to a call, to one that is in doubt, to what another agent asks. */
import { facts as wire } from '@stopgo/proto';
import { decidedWord } from '../../events/decisions.ts';
import { type Fact, type FactOf, fact, type RecordedFact } from '../../events/facts.ts';
import { type Approval, approvalIn, decisionOn, type Vote } from '../../state/interrupt.ts';
import { withCall } from '../../state/run-changes.ts';
import type { CallState, RunState } from '../../state/state.ts';
import { type Answered, withAnswer } from '../answered.ts';
import { withQuestion } from '../evolve-questions.ts';
import type { AskedBeside, InterruptKind } from './kind.ts';

const ofKinds: Readonly<Partial<Record<wire.ApprovalKind, Approval['of']>>> = {
  [wire.ApprovalKind.IN_DOUBT]: 'in_doubt',
  [wire.ApprovalKind.PROXY]: 'question',
};

/** The approval that a fact asks for. */
export function recordedApproval(asked: FactOf<'approvalRequested'>, requestedAt: number): Approval {
  const { approvalId: id, callId, choices, kind } = asked;
  const of = ofKinds[kind] ?? 'call';
  return { kind: 'approval', id, callId, requestedAt, of, choices, votes: [], votesNeeded: 1 };
}

/** The fact that a pending approval is not needed any more. */
export function withdrawal(run: RunState, approvalId: string, reason: string): Fact {
  const approval = approvalIn(run, approvalId);
  const callId = approval?.callId ?? '';
  return fact('approvalResolved', {
    approvalId,
    runId: run.id,
    decision: wire.Decision.WITHDRAWN,
    reason,
    callId,
    tool: run.calls[callId]?.tool ?? '',
    proxy: approval?.of === 'question',
  });
}

/** True if the run has this approval, and it takes votes. */
export function isPending(run: RunState, approvalId: string): boolean {
  const approval = approvalIn(run, approvalId);
  return approval !== undefined && decisionOn(approval) === undefined;
}

/** Somebody has voted. What is settled stays as it is. */
export function evolveVote(run: RunState, resolved: FactOf<'approvalResolved'>, recorded: RecordedFact): RunState {
  const approval = approvalIn(run, resolved.approvalId);
  if (approval === undefined || decisionOn(approval) !== undefined) return run;
  const vote = { kind: decidedWord(resolved.decision), by: recorded.actor.id, at: recorded.time };
  const voted: Approval = { ...approval, votes: [...approval.votes, vote] };
  const next = { ...run, interrupts: { ...run.interrupts, [voted.id]: voted } };
  const decision = decisionOn(voted);
  if (decision === undefined) return next;
  return withAnswer(next, voted, answered(voted, decision, resolved.result !== ''), recorded.revision);
}

function answered({ id, of }: Approval, { kind }: Vote, saysSomething: boolean): Answered {
  if (of === 'question' && kind !== 'withdrawn') return { kind: 'passed_on', verdict: kind };
  switch (kind) {
    case 'approved':
    case 'run_again':
      return { kind: 'ready', approvalId: id };
    case 'rejected':
    case 'expired':
      return { kind: 'result', outcome: 'rejected', saysSomething: false };
    case 'happened':
      return { kind: 'result', outcome: 'happened', saysSomething };
    case 'give_up':
      return { kind: 'result', outcome: 'given_up', saysSomething: false };
    case 'withdrawn':
      return { kind: 'nothing' };
  }
}

function asked(run: RunState, call: CallState, approval: Approval, beside: AskedBeside): RunState {
  switch (approval.of) {
    case 'in_doubt':
      return withCall(run, call.id, { asked: call.asked + 1 });
    case 'question': {
      const { digest, question: key, remoteApprovalId } = beside;
      return withQuestion(run, call, { key, digest, askedAs: approval.id, remoteApprovalId });
    }
    case 'call':
      return withCall(run, call.id, {
        phase: 'waiting',
        digest: beside.digest,
        approvalId: approval.id,
        asked: call.asked + 1,
        // Asked again after a change of its tool: whatever let it run at first, it is a human's call from now on.
        gated: call.gated || call.pinChanges > 0,
      });
  }
}

export const approvalKind: InterruptKind<Approval> = {
  shownAs: ({ of }) => (of === 'in_doubt' ? 'in_doubt' : 'approval'),
  isOpen: (approval) => decisionOn(approval) === undefined,
  asked,
};
