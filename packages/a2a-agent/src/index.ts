/**
 * What an A2A agent is made of: three dialects over one model, approvals on the wire, cards. What reads requests stays inside: an agent is
 * given them read (`TextAgent`).
 */
export { askAgain, hitlExtension } from './approval-message.ts';
export { requireUncanceled } from './cancel.ts';
export { type AgentProfile, cardOf, noExtendedCard } from './card.ts';
export type { SaidDecision } from './decision.ts';
export type { Dialect } from './dialect.ts';
export { activatedOf, type Extensions, extensionsNamed } from './extensions.ts';
export { idempotencyExtension } from './idempotency.ts';
export { answersAmong, askInputAgain, type SaidInput } from './input-message.ts';
export { textPart } from './parts.ts';
export { pausedClause, pausedSentence } from './paused-sentence.ts';
export {
  A2A_CONTENT_TYPE,
  A2AError,
  type A2ARequestHandler,
  AgentCard,
  ContentTypeNotSupportedError,
  type ListTasksResponse,
  type Message,
  type Part,
  RequestMalformedError,
  ServerCallContext,
  type StreamResponse,
  type Task,
  TaskNotCancelableError,
  TaskNotFoundError,
  type TaskPushNotificationConfig,
  TaskState,
  UnsupportedOperationError,
} from './protocol.ts';
export { type AskedPage, badPageToken } from './request/asked-page.ts';
export type { AskedPush } from './request/push.ts';
export { resultOf } from './request/reading.ts';
export { requestReader } from './request/request-reader.ts';
export type { FirstMessage, FollowUp, SaidMessage } from './request/said-message.ts';
export { soundJson } from './request/sound-json.ts';
export { type TaskName, taskNotFound } from './request/task-name.ts';
export type { TextAgent } from './request/text-agent.ts';
export { writeRestEvent } from './rest.ts';
export { contextIdOf, historyOf, requireOpen, shownApproval, standingIn, stateOf, taskOf } from './task.ts';
export { isWaiting, terminal } from './task-state.ts';
export { stateAfter, taskAfter, updatesOf } from './task-updates.ts';
