/**
 * The decider of what people do to a conversation. A repeat of one's own command is told by its idempotency key before
 * it comes here; a command that somebody else was faster with is a refusal that says so.
 */

import type { CallingAgent } from '../agent/calling.ts';
import { isPipeline } from '../agent/definition.ts';
import { definitionOf, type RunDefinition } from '../agent/definitions.ts';
import { rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import { provideToken } from '../interrupts/decide-approval.ts';
import { withdrawal } from '../interrupts/kinds/approval.ts';
import { nobody, type PolicyCaller } from '../policy/judge-policy.ts';
import { advanceInto } from '../run/advance-into.ts';
import type { Effect } from '../run/effect.ts';
import { anticipate } from '../run/interpreter.ts';
import { callerToWire } from '../state/caller.ts';
import { anonymousPrincipal } from '../state/principal.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ConversationState, Owner, RunState } from '../state/state.ts';
import { timeLimitOf, timeLimitToWire } from '../state/time-limit.ts';
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
  /** The agent that is to answer; absent: the one that the conversation was opened for is not there any more. */
  readonly agent?: RunDefinition;
  /** The process that will drive the run. */
  readonly instance: string;
  readonly bearerTokenPresent: boolean;
  /** Whom the run answers, as rules see them; absent: nobody in particular. */
  readonly caller?: PolicyCaller;
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
  /** No run is open, and the agent is not there that is to begin one; nothing changes. */
  | { readonly kind: 'no_agent' }
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
  if (command.agent === undefined) return { kind: 'no_agent' };
  const { definitions, calling, ...digests } = command.agent;
  const { runId, text, bearerTokenPresent, caller = nobody, now } = command;
  const { agentDigest, toolsetDigest, policyDigest } = digests;
  const { agent } = definitionOf(definitions, { id: runId, ...digests }, rootStep);
  const timeLimit = timeLimitOf(agent.platform, now);
  const first = [
    fact('userMessageReceived', { runId, text, ...optional(command.idempotency) }),
    fact('runStarted', {
      runId,
      agentDigest,
      toolsetDigest,
      owner: me,
      bearerTokenPresent,
      pipeline: isPipeline(agent),
      sessionId: anotherSession(state, command),
      ...(policyDigest === undefined ? {} : { policyDigest, caller: callerToWire(caller) }),
      ...(calling && callingToWire(calling)),
      ...(timeLimit && { timeLimit: timeLimitToWire(timeLimit) }),
    }),
  ];
  const ahead = advanceInto(first.length, definitions, anticipate(state, first, now), now);
  return { kind: 'append', facts: [...first, ...ahead.facts], state: ahead.state, effects: ahead.effects, me };
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

function callingToWire({ limits, source, agentsTold = '' }: CallingAgent) {
  return { agentLimits: limits, ...(source && { agentSource: source }), agentsTold };
}

function optional(idempotency: IdempotencyKey | undefined): { idempotency?: IdempotencyKey } {
  return idempotency === undefined ? {} : { idempotency };
}
