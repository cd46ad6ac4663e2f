// The SDK's words, in one place: its types of version 1.0 are the model that every dialect is read into and written from.
export {
  A2A_CONTENT_TYPE,
  AgentCard,
  type Artifact,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskPushNotificationConfig,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
export {
  A2A_ERROR_CODE,
  A2AError,
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
export { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
