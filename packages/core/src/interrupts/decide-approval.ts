/** The decider of what people say to approvals, and of tokens that they bring. */
import { approvals, facts as wire } from '@stopgo/proto';
import { choiceWords, decidedWord, recordedAs, saysYes } from '../events/decisions.ts';
import { type Fact, fact } from '../events/facts.ts';
import { serverOf } from '../events/target.ts';
import { type Approval, agreeing, approvalIn, decisionOn, interruptsOf, type Vote } from '../state/interrupt.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ConversationState } from '../state/state.ts';
import { saidBytesMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { sha256Hex } from '../text/digest.ts';
import type { HumanDecision } from './decision-words.ts';
import { mayDecide } from './may-decide.ts';
import { nobody, type Voter, voterToWire } from './voter.ts';

/** The facts by which a token lets the open run go on; none if it waits for none. */
export function provideToken(state: ConversationState, sessionId?: string): readonly Fact[] {
  const run = state.run;
  if (run === null || run.status !== 'open') return [];
  const session = anotherSession(state, { sessionId });
  return interruptsOf(run, 'auth').map((input) =>
    fact('inputProvided', { inputId: input.id, runId: run.id, text: '', sessionId: session }),
  );
}

/** The tool servers that the open run waits for a token for. */
export function serversWanting({ run }: ConversationState): readonly string[] {
  if (run === null || run.status !== 'open') return [];
  const servers = interruptsOf(run, 'auth').map(({ callId }) => serverOf(run.calls[callId]?.target));
  return [...new Set(servers)].filter((server) => server !== '');
}

/** The facts by which the open run goes on with an account that was connected at a tool server; none if it waits for none there. */
export function provideAccount({ run }: ConversationState, server: string): readonly Fact[] {
  if (run === null || run.status !== 'open') return [];
  return interruptsOf(run, 'auth')
    .filter(({ callId }) => serverOf(run.calls[callId]?.target) === server)
    .map(({ id }) => fact('inputProvided', { inputId: id, runId: run.id, text: '' }));
}

/** A decision of a human on an approval. */
export type ResolveCommand = {
  readonly approvalId: string;
  readonly decision: HumanDecision;
  /** Who decides; absent: nobody in particular. */
  readonly voter?: Voter;
  /** What they say to it. */
  readonly said?: string;
  /** Milliseconds since 1970. */
  readonly now?: number;
  /** The session that the request names; absent: it names none, and stays in that of the conversation. */
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
};

export type ResolveDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** It was decided before; by whom, what and when. */
  | { readonly kind: 'settled'; readonly decision: Vote }
  /** The decision is none of the choices of this approval. */
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Who it was may not decide it; why, in words. */
  | { readonly kind: 'not_entitled'; readonly reason: string }
  /** They have said yes already, and so many more are needed. */
  | { readonly kind: 'voted'; readonly missing: number }
  /** Its time is over, and that is not on the record yet. */
  | { readonly kind: 'expired'; readonly at: number }
  /** It is not an approval of the latest run: it was settled before. */
  | { readonly kind: 'past' };

/** Takes a decision. Of any number of decisions on one approval only the first in the log leaves a fact. */
export function resolveApproval(state: ConversationState, command: ResolveCommand): ResolveDecision {
  const run = state.run;
  const approval = approvalIn(run, command.approvalId);
  if (run === null || approval === undefined) return { kind: 'past' };
  const decision = decisionOn(approval);
  if (decision !== undefined) return { kind: 'settled', decision };
  // What was pending when the run settled is withdrawn.
  if (run.status !== 'open') return { kind: 'past' };
  const recorded = decisionFor(approval, command.decision);
  if (recorded === undefined) return { kind: 'choice', choices: approval.choices };
  const { voter = nobody, now = 0, said = '' } = command;
  const { demand } = approval;
  // Whoever drives the run may not have got to it: the clock says it first.
  if (demand?.expires?.verdict === 'reject' && demand.expires.at <= now)
    return { kind: 'expired', at: demand.expires.at };
  const isWithdrawn = command.decision.kind === WITHDRAW;
  const entitlement =
    isWithdrawn && voter.key !== '' && voter.key === run.requester
      ? askedForIt
      : mayDecide(demand, voter, run.requester ?? '', now);
  if (!entitlement.may) return { kind: 'not_entitled', reason: entitlement.reason };
  const { callId } = approval;
  const isYes = saysYes(recorded);
  // What happened is one yes only with one result.
  const result = recorded === wire.Decision.HAPPENED ? (command.decision.result ?? '') : '';
  const resultDigest = recorded === wire.Decision.HAPPENED ? sha256Hex(result) : '';
  const kind = decidedWord(recorded);
  const sameYes = agreeing(approval.votes, { kind, ...(resultDigest === '' ? {} : { result: resultDigest }) });
  const missing = approval.votesNeeded - sameYes.size;
  if (isYes && demand !== undefined && sameYes.has(voter.key)) return { kind: 'voted', missing };
  const recordedVoter =
    demand === undefined && voter.role === undefined && !isWithdrawn
      ? {}
      : { voter: voterToWire(voter, entitlement.entitledBy) };
  if (isYes && missing > 1) {
    const tool = run.calls[callId]?.tool ?? '';
    const voted = fact('approvalVoted', {
      ...{ approvalId: approval.id, runId: run.id, decision: recorded, callId, tool, ...recordedVoter, resultDigest },
      sessionId: anotherSession(state, command),
      ...(command.idempotency === undefined ? {} : { idempotency: command.idempotency }),
    });
    return { kind: 'append', facts: [voted] };
  }
  const resolved = fact('approvalResolved', {
    approvalId: approval.id,
    runId: run.id,
    decision: recorded,
    result,
    callId,
    tool: run.calls[callId]?.tool ?? '',
    proxy: approval.of === 'question',
    sessionId: anotherSession(state, command),
    said: cutText(said, saidBytesMax).text,
    ...recordedVoter,
    ...(command.idempotency === undefined ? {} : { idempotency: command.idempotency }),
  });
  return { kind: 'append', facts: [resolved] };
}

const { APPROVE, REJECT, RUN_AGAIN, HAPPENED, GIVE_UP, WITHDRAW } = approvals.DecisionKind;

/** Whoever asked for a call may take it back. */
const askedForIt = { may: true, entitledBy: 'asked for it' } as const;

/** What a decision means for this kind of approval; undefined if it is none of its choices. */
function decisionFor(approval: Approval, { kind }: HumanDecision): wire.Decision | undefined {
  // That of a question of another agent may be about a call in doubt there.
  const isInDoubt = approval.of === 'in_doubt' || approval.choices.includes('give_up');
  // Where not all could be shown, only a no is offered.
  if (approval.of === 'question' && kind !== REJECT && !approval.choices.includes(choiceWords[kind])) return undefined;
  switch (kind) {
    case WITHDRAW:
      // What may have happened, and what another agent asks, is not taken back by words here.
      return approval.of === 'call' ? recordedAs[kind] : undefined;
    case APPROVE:
      return isInDoubt ? undefined : recordedAs[kind];
    case REJECT:
      // A plain no to a call in doubt: it is not run again.
      return recordedAs[isInDoubt ? GIVE_UP : kind];
    case RUN_AGAIN:
    case HAPPENED:
    case GIVE_UP:
      return isInDoubt ? recordedAs[kind] : undefined;
  }
}
