import { views } from '@stopgo/proto';

/** The words of the REST surface for the statuses of the contracts; those in lists are also what clients may ask for. */

export const conversationStatuses = {
  active: views.ConversationStatus.ACTIVE,
  waiting_approval: views.ConversationStatus.WAITING_APPROVAL,
  completed: views.ConversationStatus.COMPLETED,
} as const;

export const approvalStatuses = {
  pending: views.ApprovalStatus.PENDING,
  approved: views.ApprovalStatus.APPROVED,
  rejected: views.ApprovalStatus.REJECTED,
  expired: views.ApprovalStatus.EXPIRED,
  withdrawn: views.ApprovalStatus.WITHDRAWN,
} as const;

const runStatuses = {
  working: views.RunStatus.WORKING,
  waiting: views.RunStatus.WAITING,
  completed: views.RunStatus.COMPLETED,
  failed: views.RunStatus.FAILED,
  canceled: views.RunStatus.CANCELED,
} as const;

const wordIn =
  (words: Readonly<Record<string, number>>) =>
  (value: number): string =>
    Object.keys(words).find((word) => words[word] === value) ?? 'unknown';

export const conversationStatusWord = wordIn(conversationStatuses);
export const approvalStatusWord = wordIn(approvalStatuses);
export const runStatusWord = wordIn(runStatuses);
