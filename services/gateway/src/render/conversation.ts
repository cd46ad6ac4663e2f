import { internalError, visibleText } from '@stopgo/core';
import type { store, views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { renderApproval } from './approval.ts';
import { renderInput } from './input.ts';
import { renderPipeline } from './pipeline.ts';
import { rfc3339 } from './time.ts';
import { conversationStatusWord, runStatusWord } from './words.ts';

/** A view whose head is known to be there. */
export type SoundView = { readonly head: views.ConversationHead; readonly approvals: readonly views.Approval[] };

/** The parts of a view. @throws DomainError `internal` if a service left the head out, against its contract. */
export function soundView(view: views.ConversationView | undefined): SoundView {
  if (view?.head === undefined) throw internalError('an answer came without the head of its conversation');
  return { head: view.head, approvals: view.pendingApprovals };
}

/** A conversation as clients see it; without `messages` if none are given. */
export function renderConversation<M = undefined>(
  { head, approvals }: SoundView,
  messages?: M,
): { readonly [key: string]: Answer | M | undefined } {
  const pending = approvals.map(renderApproval);
  return {
    id: head.id,
    session_id: head.sessionId === '' ? undefined : head.sessionId,
    context_id: head.contextId === '' ? head.id : head.contextId,
    status: conversationStatusWord(head.status),
    title: head.title,
    run: renderRun(head),
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
    auth_prompt: head.authPrompt === '' ? undefined : visibleText(head.authPrompt),
    revision: head.revision,
    created_at: rfc3339(head.createdAt),
    updated_at: rfc3339(head.updatedAt),
  };
}

/** The latest run of a conversation; undefined before the first message. */
export function renderRun({ run }: views.ConversationHead): Answer | undefined {
  return run === undefined ? undefined : { id: run.id, status: runStatusWord(run.status) };
}

/** The counts of all conversations, whatever is listed. */
export const renderSummary = (summary: store.Summary | undefined): Answer => ({
  total: summary?.total ?? 0,
  active: summary?.active ?? 0,
  waiting_approval: summary?.waitingApproval ?? 0,
  completed: summary?.completed ?? 0,
});
