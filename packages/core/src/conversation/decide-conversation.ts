/**
 * The decider of what people do to a conversation. A repeat of one's own command is told by its idempotency key before
 * it comes here; a command that somebody else was faster with is a refusal that says so.
 */

import { facts as wire } from '@stopgo/proto';
import { type AgentDefinition, isPipeline } from '../agent/definition.ts';
import { type Fact, fact } from '../events/facts.ts';
import type { HumanDecision } from '../interrupts/decision-words.ts';
import { withdrawal } from '../interrupts/withdrawal.ts';
import { advanceInto } from '../run/advance-into.ts';
import { anticipate, type Effect } from '../run/interpreter.ts';
import { anonymousPrincipal } from '../state/principal.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ApprovalState, ConversationState, Owner, RunState } from '../state/state.ts';
import { pendingApprovals, runStanding } from '../state/work.ts';
import { withdrawalsPerAppendMax } from '../text/bounds.ts';
import { type EarlierTexts, nothingEarlier } from './context.ts';

/** Opens a conversation. */
export type CreateCommand = {
  readonly id: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly systemPrompt: string;
  /** Key of the principal that opens it; absent: the anonymous one. */
  readonly principal?: string;
  /** The context that it is to belong to; absent: one of its own. */
  readonly contextId?: string;
  /** What was said in that context before. */
  readonly earlier?: EarlierTexts;
  readonly idempotency?: IdempotencyKey;
};

/** The fact that opens a conversation. */
export function createConversation(command: CreateCommand): readonly Fact[] {
  const { id: conversationId, sessionId, agentName, systemPrompt, idempotency } = command;
  const { principal = anonymousPrincipal, contextId = '', earlier = nothingEarlier } = command;
  return [
    fact('conversationCreated', {
      ...{ conversationId, sessionId, agentName, systemPrompt, contextId },
      principal: principal === anonymousPrincipal ? '' : principal,
      earlier: earlier.texts.map((one) => ({ ...one })),
      earlierLeftOut: earlier.leftOut,
      ...optional(idempotency),
    }),
  ];
}

/** A message of the user, and the run that is to answer it. */
export type MessageCommand = {
  readonly text: string;
  readonly runId: string;
  readonly agent: AgentDefinition;
  readonly agentDigest: string;
  readonly toolsetDigest: string;
  /** The process that will drive the run. */
  readonly instance: string;
  readonly bearerTokenPresent: boolean;
  /** The session that the request names; absent: it names none, and stays in that of the conversation. */
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
  /** Milliseconds since 1970. */
  readonly now: number;
};

export type MessageDecision =
  | {
      readonly kind: 'append';
      readonly facts: readonly Fact[];
      readonly state: ConversationState;
      readonly effects: readonly Effect[];
      readonly me: Owner;
    }
  /** The last run waits for approvals; nothing changes. */
  | { readonly kind: 'waiting' }
  /** The last run is being worked on; nothing changes. */
  | { readonly kind: 'busy' }
  /** The last run waits for a token, and the message brings one: these facts let it go on; the text is not taken. */
  | { readonly kind: 'token'; readonly facts: readonly Fact[] };

/** Takes a message, unless the last run is still open. */
export function receiveMessage(state: ConversationState, command: MessageCommand): MessageDecision {
  const standing = runStanding(state);
  if (standing === 'working') return { kind: 'busy' };
  if (standing === 'waiting') {
    const tokens = command.bearerTokenPresent ? provideToken(state, command.sessionId) : [];
    return tokens.length > 0 ? { kind: 'token', facts: tokens } : { kind: 'waiting' };
  }
  const me: Owner = { instance: command.instance, epoch: 1 };
  const { runId, text, agentDigest, toolsetDigest, bearerTokenPresent } = command;
  const first = [
    fact('userMessageReceived', { runId, text, ...optional(command.idempotency) }),
    fact('runStarted', {
      runId,
      agentDigest,
      toolsetDigest,
      owner: me,
      bearerTokenPresent,
      pipeline: isPipeline(command.agent),
      sessionId: anotherSession(state, command),
    }),
  ];
  const { agent, now } = command;
  const ahead = advanceInto(first.length, agent, anticipate(state, first, now), now);
  return { kind: 'append', facts: [...first, ...ahead.facts], state: ahead.state, effects: ahead.effects, me };
}

/** The facts by which a token lets the open run go on; none if it waits for none. */
export function provideToken(state: ConversationState, sessionId?: string): readonly Fact[] {
  const run = state.run;
  if (run === null || run.status !== 'open') return [];
  const session = anotherSession(state, { sessionId });
  return Object.values(run.inputs)
    .filter((input) => input.kind === 'auth')
    .map((input) => fact('inputProvided', { inputId: input.id, runId: run.id, text: '', sessionId: session }));
}

/** A decision of a human on an approval. */
export type ResolveCommand = {
  readonly approvalId: string;
  readonly decision: HumanDecision;
  /** The session that the request names; absent: it names none, and stays in that of the conversation. */
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
};

export type ResolveDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** It was decided before; by whom, what and when. */
  | { readonly kind: 'settled'; readonly decision: NonNullable<ApprovalState['decision']> }
  /** The decision is none of the choices of this approval. */
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** It is not an approval of the latest run: it was settled before. */
  | { readonly kind: 'past' };

/** Takes a decision. Of any number of decisions on one approval only the first in the log leaves a fact. */
export function resolveApproval(state: ConversationState, command: ResolveCommand): ResolveDecision {
  const run = state.run;
  const approval = run?.approvals[command.approvalId];
  if (run === null || approval === undefined) return { kind: 'past' };
  if (approval.decision !== undefined) return { kind: 'settled', decision: approval.decision };
  // What was pending when the run settled is withdrawn.
  if (run.status !== 'open') return { kind: 'past' };
  const kind = decisionFor(approval, command.decision);
  if (kind === undefined) return { kind: 'choice', choices: approval.choices };
  const { callId } = approval;
  const resolved = fact('approvalResolved', {
    approvalId: approval.id,
    runId: run.id,
    decision: wireDecisions[kind],
    result: command.decision.kind === 'happened' ? command.decision.result : '',
    callId,
    tool: run.calls[callId]?.tool ?? '',
    proxy: approval.kind === 'proxy',
    sessionId: anotherSession(state, command),
    ...optional(command.idempotency),
  });
  return { kind: 'append', facts: [resolved] };
}

const wireDecisions = {
  approved: wire.Decision.APPROVED,
  rejected: wire.Decision.REJECTED,
  run_again: wire.Decision.RUN_AGAIN,
  happened: wire.Decision.HAPPENED,
  give_up: wire.Decision.GIVE_UP,
} as const;

/** What a decision means for this kind of approval; undefined if it is none of its choices. */
function decisionFor(approval: ApprovalState, decision: HumanDecision): keyof typeof wireDecisions | undefined {
  // That of a question of another agent may be about a call in doubt there.
  const isInDoubt = approval.kind === 'in_doubt' || approval.choices.includes('give_up');
  // Where not all could be shown, only a no is offered.
  if (approval.kind === 'proxy' && decision.kind !== 'reject' && !approval.choices.includes(decision.kind))
    return undefined;
  switch (decision.kind) {
    case 'approve':
      return isInDoubt ? undefined : 'approved';
    case 'reject':
      // A plain no to a call in doubt: it is not run again.
      return isInDoubt ? 'give_up' : 'rejected';
    case 'run_again':
    case 'happened':
    case 'give_up':
      return isInDoubt ? decision.kind : undefined;
  }
}

export type CancelDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** It is canceled already. */
  | { readonly kind: 'already' }
  /** There is nothing to cancel: no run, or it completed or failed. */
  | { readonly kind: 'settled'; readonly status: 'none' | 'completed' | 'failed' };

/** Ends the open run at somebody's wish: approvals are withdrawn, calls that have started will be recorded as late. */
export function cancelRun(
  state: ConversationState,
  command: { readonly reason: string; readonly idempotency?: IdempotencyKey },
): CancelDecision {
  const run: RunState | null = state.run;
  if (run === null) return { kind: 'settled', status: 'none' };
  if (run.status === 'canceled') return { kind: 'already' };
  if (run.status !== 'open') return { kind: 'settled', status: run.status };
  const withdrawn = withdrawals(run, 'the run was canceled');
  const { reason, idempotency } = command;
  return {
    kind: 'append',
    facts: [...withdrawn, fact('runCanceled', { runId: run.id, reason, ...optional(idempotency) })],
  };
}

/** Ends the open run because the platform cannot drive it: approvals are withdrawn, and the user is told. */
export function failRun(state: ConversationState, runId: string, text: string): readonly Fact[] {
  const { run } = state;
  if (run === null || run.id !== runId || run.status !== 'open') return [];
  const withdrawn = withdrawals(run, 'the run has failed');
  return [...withdrawn, fact('runFailed', { runId, text })];
}

/** What is pending is withdrawn; of very many approvals the rest by the end of the run itself. */
function withdrawals(run: RunState, reason: string): readonly Fact[] {
  return pendingApprovals(run)
    .slice(0, withdrawalsPerAppendMax)
    .map((id) => withdrawal(run, id, reason));
}

function optional(idempotency: IdempotencyKey | undefined): { idempotency?: IdempotencyKey } {
  return idempotency === undefined ? {} : { idempotency };
}
