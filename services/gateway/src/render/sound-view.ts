import { internalError } from '@stopgo/core';
import type { views } from '@stopgo/proto';

/** A view whose head is known to be there. */
export type SoundView = {
  readonly head: views.ConversationHead;
  readonly approvals: readonly views.Approval[];
  readonly waits: readonly views.RunWait[];
};

/** The parts of a view. @throws DomainError `internal` if a service left the head out, against its contract. */
export function soundView(view: views.ConversationView | undefined): SoundView {
  if (view?.head === undefined) throw internalError('an answer came without the head of its conversation');
  return { head: view.head, approvals: view.pendingApprovals, waits: view.waits };
}
