/** A yes or a no of people: to a call, to one that is in doubt, to what another agent asks. */
import { facts as wire } from '@stopgo/proto';
import { decidedWord, saysYes } from '../../events/decisions.ts';
import { type Fact, type FactOf, fact, type RecordedFact } from '../../events/facts.ts';
import { approverToWire, demandFromWire, keptOut } from '../../state/demand.ts';
import { type Approval, approvalIn, decisionOn, type Vote } from '../../state/interrupt.ts';
import { withCall } from '../../state/run-changes.ts';
import type { CallState, RunState } from '../../state/state.ts';
import { sha256Hex } from '../../text/digest.ts';
import { type Answered, withAnswer } from '../answered.ts';
import { nobodyDecided } from '../decided-by.ts';
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
  const demand = demandFromWire(asked);
  const votesNeeded = demand?.votes ?? 1;
  const approval: Approval = { kind: 'approval', id, callId, requestedAt, of, choices, votes: [], votesNeeded };
  return demand === undefined ? approval : withDueAt({ ...approval, demand });
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

/** Somebody has said the last word, or the platform has. What is settled stays as it is. */
export function evolveResolved(run: RunState, resolved: FactOf<'approvalResolved'>, recorded: RecordedFact): RunState {
  const isByPerson = resolved.voter !== undefined;
  const said = { saysSomething: resolved.result !== '', isExplained: resolved.said !== '', isByPerson };
  return withVote(run, resolved, recorded, said, resolved.standingId);
}

/** Somebody has said yes to what needs more than one. */
export function evolveVote(run: RunState, voted: FactOf<'approvalVoted'>, recorded: RecordedFact): RunState {
  return withVote(run, voted, recorded, { saysSomething: false, isExplained: false, isByPerson: true });
}

/** What a decision says beside itself. */
type Said = {
  readonly saysSomething: boolean;
  readonly isExplained: boolean;
  /** Somebody said it whose right to it was judged. */
  readonly isByPerson: boolean;
};

function withVote(
  run: RunState,
  said: FactOf<'approvalResolved'> | FactOf<'approvalVoted'>,
  recorded: RecordedFact,
  more: Said,
  standingId = '',
): RunState {
  const approval = approvalIn(run, said.approvalId);
  if (approval === undefined || decisionOn(approval) !== undefined) return run;
  const { voter } = said;
  if (saysYes(said.decision) && !mayCount(run, approval, said)) return run;
  const result = approval.votesNeeded > 1 ? resultDigest(said) : '';
  const vote: Vote = {
    kind: decidedWord(said.decision),
    by: recorded.actor.id,
    at: recorded.time,
    ...(voter === undefined ? {} : { voter: voter.key }),
    ...(result === '' ? {} : { result }),
  };
  const others = approval.votes.filter((one) => !isTakenBack(one, vote));
  const by = standingId === '' ? {} : { standingId };
  const voted: Approval = { ...approval, votes: [...others, vote], ...by };
  const next = { ...run, interrupts: { ...run.interrupts, [voted.id]: voted } };
  const decision = decisionOn(voted);
  return decision === undefined ? next : withAnswer(next, voted, answered(voted, decision, more), recorded.revision);
}

/** Digest of what a person says that a call came to; empty if they say nothing of that, or it was not recorded. */
export function resultDigest(said: FactOf<'approvalResolved'> | FactOf<'approvalVoted'>): string {
  if (said.decision !== wire.Decision.HAPPENED) return '';
  return 'resultDigest' in said ? said.resultDigest : sha256Hex(said.result);
}

/**
 * Whether a yes is one, whoever recorded it. That of whoever asked for a call, or wrote it, is none under separation of duties. Where it matters who
 * says it, one without a voter is of a program that knew nothing of that: nobody has judged it, nor can it be told from those of others.
 */
function mayCount(
  { requester = '' }: RunState,
  { demand }: Approval,
  said: FactOf<'approvalResolved'> | FactOf<'approvalVoted'>,
): boolean {
  if (demand === undefined) return true;
  const { voter } = said;
  if (voter !== undefined) return !keptOut(demand, requester).includes(voter.key);
  const isByPolicy = 'byPolicy' in said && said.byPolicy;
  return isByPolicy || !(demand.votes > 1 || demand.notRequester || demand.approvers.length > 0);
}

/** Who says that a call came to something else takes back what they said before. */
function isTakenBack(one: Vote, { kind, voter, result }: Vote): boolean {
  return result !== undefined && voter !== undefined && one.voter === voter && one.kind === kind;
}

/** It was time to remind people. */
export function evolveReminded(run: RunState, { approvalId, number }: FactOf<'approvalReminded'>): RunState {
  return changed(run, approvalId, { reminders: number });
}

/** From now on others may decide as well: that follows from the demand and the time, so only that it is told changes. */
export function evolveEscalated(run: RunState, { approvalId, number }: FactOf<'approvalEscalated'>): RunState {
  return changed(run, approvalId, { escalated: number });
}

/** Somebody else is to look at it, or nobody in particular. */
export function evolveAssigned(run: RunState, { approvalId, assignee }: FactOf<'approvalAssigned'>): RunState {
  const approval = approvalIn(run, approvalId);
  if (approval === undefined || decisionOn(approval) !== undefined) return run;
  const { assignee: _before, ...rest } = approval;
  const assigned = assignee === undefined ? rest : { ...rest, assignee: assignee.key };
  return { ...run, interrupts: { ...run.interrupts, [approvalId]: assigned } };
}

function changed(run: RunState, id: string, change: Pick<Approval, 'reminders' | 'escalated'>): RunState {
  const approval = approvalIn(run, id);
  if (approval === undefined || decisionOn(approval) !== undefined) return run;
  return { ...run, interrupts: { ...run.interrupts, [id]: withDueAt({ ...approval, ...change }) } };
}

/** With the time at which something of it is due next; without, if nothing is. */
function withDueAt({ dueAt: _before, ...approval }: Approval): Approval {
  const { demand, reminders = 0, escalated = 0 } = approval;
  if (demand === undefined) return approval;
  const { expires, remindAt, escalations } = demand;
  const ends = expires?.verdict === 'reject' ? [expires.at] : [];
  const times = [
    ...remindAt.slice(reminders, reminders + 1),
    ...escalations.slice(escalated).map(({ at }) => at),
    ...ends,
  ];
  return times.length === 0 ? approval : { ...approval, dueAt: Math.min(...times) };
}

/** Reminders, escalations and the end, in the order of their times. */
function due(run: RunState, { id, callId, demand, ...approval }: Approval, now: number): readonly Fact[] {
  if (demand === undefined) return [];
  const { reminders = 0, escalated = 0 } = approval;
  const of = { approvalId: id, runId: run.id };
  const facts: { readonly at: number; readonly fact: Fact }[] = [];
  for (const [index, at] of demand.remindAt.entries())
    if (index >= reminders) facts.push({ at, fact: fact('approvalReminded', { ...of, number: index + 1 }) });
  for (const [index, { at, approvers, notify = [] }] of demand.escalations.entries())
    if (index >= escalated) {
      const others = approvers.map(approverToWire);
      const escalated = { ...of, number: index + 1, approvers: others, notify: [...notify] };
      facts.push({ at, fact: fact('approvalEscalated', escalated) });
    }
  if (demand.expires?.verdict === 'reject')
    facts.push({ at: demand.expires.at, fact: expiry(run, { id, callId, of: approval.of }) });
  // Nobody is told of what is over.
  const end = demand.expires?.verdict === 'reject' ? demand.expires.at : now;
  return facts
    .filter(({ at }) => at <= Math.min(now, end))
    .sort((one, other) => one.at - other.at)
    .map((one) => one.fact);
}

function expiry(run: RunState, { id: approvalId, callId, of }: Pick<Approval, 'id' | 'callId' | 'of'>): Fact {
  const tool = run.calls[callId]?.tool ?? '';
  const { EXPIRED } = wire.Decision;
  const common = { approvalId, runId: run.id, callId, tool, proxy: of === 'question' };
  return fact('approvalResolved', { ...common, decision: EXPIRED, reason: nobodyDecided, said: nobodyDecided });
}

function answered({ id, of }: Approval, { kind }: Vote, { saysSomething, isExplained, isByPerson }: Said): Answered {
  if (of === 'question' && kind !== 'withdrawn') return { kind: 'passed_on', verdict: kind };
  switch (kind) {
    case 'approved':
    case 'run_again':
      return { kind: 'ready', approvalId: id };
    case 'rejected':
    case 'expired':
      return { kind: 'result', outcome: 'rejected', saysSomething: false, isExplained };
    case 'happened':
      return { kind: 'result', outcome: 'happened', saysSomething };
    case 'give_up':
      return { kind: 'result', outcome: 'given_up', saysSomething: false };
    case 'withdrawn':
      // By the platform: whatever made it needless says what becomes of the call.
      if (!isByPerson) return { kind: 'nothing' };
      return { kind: 'result', outcome: 'rejected', saysSomething: false, isExplained: true };
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
  due,
};
