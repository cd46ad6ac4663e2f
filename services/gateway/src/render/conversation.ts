import { type Spent, visibleText } from '@stopgo/core';
import type { facts, store, views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { renderApproval } from './approval.ts';
import { renderInput } from './input.ts';
import { renderReached } from './limits.ts';
import { renderPipeline } from './pipeline.ts';
import { shownLine } from './shown.ts';
import type { SoundView } from './sound-view.ts';
import { rfc3339 } from './time.ts';
import { renderSource, renderUsage } from './usage.ts';
import { renderWaiting } from './waiting.ts';
import { conversationStatusWord, runStatusWord } from './words.ts';

/** A conversation as clients see it; without `messages` if none are given. */
export function renderConversation<M = undefined>(
  view: SoundView,
  messages?: M,
): { readonly [key: string]: Answer | M | undefined } {
  const { head, approvals } = view;
  const pending = approvals.map((one) => renderApproval(one));
  return {
    id: head.id,
    session_id: head.sessionId === '' ? undefined : head.sessionId,
    context_id: head.contextId === '' ? head.id : head.contextId,
    status: conversationStatusWord(head.status),
    title: head.title,
    run: renderRun(head),
    waiting_for: renderWaiting(view),
    messages,
    message_count: head.messageCount,
    pending_approval: pending[0],
    pending_approvals: pending,
    // Of very many not all are shown here; their list has them.
    pending_approvals_total:
      pending.length < head.pendingApprovalIds.length ? head.pendingApprovalIds.length : undefined,
    ...renderPipeline(head),
    pending_inputs:
      head.pendingInputs.length === 0 ? undefined : head.pendingInputs.map((one) => renderInput(one, head.id)),
    standing_approvals: head.standingApprovals.length === 0 ? undefined : head.standingApprovals.map(renderStanding),
    auth_prompt: head.authPrompt === '' ? undefined : visibleText(head.authPrompt),
    revision: head.revision,
    created_at: rfc3339(head.createdAt),
    updated_at: rfc3339(head.updatedAt),
  };
}

function renderStanding(one: views.StandingApproval): Answer {
  return {
    id: one.id,
    approval_id: one.approvalId,
    server: one.server === '' ? undefined : one.server,
    tool: one.tool,
    arguments: one.sameArguments ? 'same' : 'any',
    granted_by: one.grantedBy,
    granted_at: rfc3339(one.grantedAt),
  };
}

/** The latest run of a conversation; undefined before the first message. */
export function renderRun({ run }: views.ConversationHead): Answer | undefined {
  if (run === undefined) return undefined;
  return {
    id: run.id,
    status: runStatusWord(run.status),
    paused: run.paused === undefined ? undefined : renderPaused(run.paused),
    usage: run.usage === undefined ? undefined : renderUsage(spentOf(run.usage)),
    agent_source: run.agentSource === undefined ? undefined : renderSource(run.agentSource),
  };
}

function renderPaused({ by, reason, at, limitAgent: agent, reached }: views.PausedRun): Answer {
  return {
    by: by === '' ? undefined : visibleText(by),
    reason: reason === '' ? undefined : visibleText(reason),
    at: rfc3339(at),
    agent: agent === '' ? undefined : shownLine(agent),
    reached: renderReached(reached),
  };
}

const spentOf = ({ inputTokens, outputTokens, costNanoUsd, unpricedAnswers: unpriced }: facts.Usage): Spent => ({
  ...{ inputTokens, outputTokens, unpriced },
  ...(costNanoUsd === undefined ? {} : { costNanoUsd: Number(costNanoUsd) }),
});

/** The counts of all conversations, whatever is listed. */
export const renderSummary = (summary: store.Summary | undefined): Answer => ({
  total: summary?.total ?? 0,
  active: summary?.active ?? 0,
  waiting_approval: summary?.waitingApproval ?? 0,
  completed: summary?.completed ?? 0,
});
