/** Talks to a Stop and Go platform. README.md tells how. */
export type { ApprovalFilter, ApprovalNews, Approvals, Decision, ManyDecisions } from './approvals.ts';
export { type Client, createClient } from './client.ts';
export {
  type Answered,
  type Asking,
  Connection,
  type ConnectionOptions,
  type Credentials,
  newKey,
  type Sent,
} from './connection.ts';
export type { ConversationNews, Conversations } from './conversations.ts';
export { ApiError, NotReached, OutcomeUnknown, reasonOf, StrangeAnswer } from './errors.ts';
export { ExactNumber, type ExactValue, exactJson, exactText, parseExact } from './exact-json.ts';
export { mayPass } from './failure.ts';
export { type FollowOptions, follow, type StreamState } from './follow.ts';
export type * from './gen/description.ts';
export type { AnswerOf, BodyOf, InputOf, OperationName, QueryOf } from './operations.ts';
export type { StreamMessage } from './server-sent.ts';
export { type Retries, type Timing, usualRetries } from './timing.ts';
export { certificateProblem, maybeSent } from './unanswered.ts';
