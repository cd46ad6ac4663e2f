// HTTP+JSON in both versions: 1.0 as the SDK writes it, 0.3 in the JSON of its own protocol buffers, which names the
// parts of a message `content`, wraps data, spells one state otherwise, and says of each status whether it is the last.
import {
  AgentCard,
  ListTasksRequest,
  type ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskState,
} from '@a2a-js/sdk';
import { toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { agedCard } from './card.ts';
import { isObject, type RestVersion, versionIn } from './dialect.ts';
import { problemOfFiles } from './file-parts.ts';
import { isAbsentOr, problemOfIds, problemOfMessageIds } from './ids.ts';
import { problemOfConfiguration } from './params-1-0.ts';
import { modernPart } from './parts-0-3.ts';
import { A2A_ERROR_CODE, RequestMalformedError } from './protocol.ts';
import { oldPushConfig } from './push.ts';
import { terminal } from './task-state.ts';

/** The version of a request: as it says, else by its path; undefined if it is one that is not spoken. */
export function restVersionOf(version: string | undefined, byPath: RestVersion): RestVersion | undefined {
  const asked = version?.trim() ?? '';
  return asked === '' ? byPath : versionIn(asked);
}

/** The media type of answers. */
export const mediaTypeOf = (version: RestVersion): string =>
  version === '1.0' ? 'application/a2a+json' : 'application/json';

/** Reads the body of `message:send` and `message:stream`. @throws A2AError for what is none. */
export function readRestSend(version: RestVersion, body: unknown): SendMessageRequest {
  if (!isObject(body)) throw new RequestMalformedError('the body must be a JSON object');
  const request = version === '1.0' ? body : modernised(body);
  if (!isObject(request.message)) throw new RequestMalformedError('the message is missing');
  const misnamed =
    problemOfIds(request, 'the body') ??
    problemOfMessageIds(request.message, 'message') ??
    problemOfConfiguration(request.configuration);
  if (misnamed !== undefined) throw new RequestMalformedError(misnamed);
  if (!Array.isArray(request.message.parts)) throw new RequestMalformedError('the parts of the message must be a list');
  if (!request.message.parts.every(isObject)) throw new RequestMalformedError('each part must be a JSON object');
  const unread = problemOfFiles(request.message.parts);
  if (unread !== undefined) throw new RequestMalformedError(unread);
  return SendMessageRequest.fromJSON(request);
}

const listTexts = ['contextId', 'context_id', 'status', 'pageToken', 'page_token', 'statusTimestampAfter'];

/** Reads the query of a list. @throws A2AError for a state that is none. */
export function readRestList(query: Readonly<Record<string, unknown>>): ListTasksRequest {
  const repeated = listTexts.find((name) => !isAbsentOr('string', query[name]));
  if (repeated !== undefined) throw new RequestMalformedError(`${repeated} stands more than once in the address`);
  const { status } = query;
  const known = typeof status === 'string' ? stateNamed(status) : status;
  return ListTasksRequest.fromJSON({
    ...query,
    ...(known === undefined ? {} : { status: known }),
    includeArtifacts: (query.includeArtifacts ?? query.include_artifacts) === 'true',
  });
}

/** A task. */
export const writeRestTask = (version: RestVersion, task: Task): object => {
  const json = Task.toJSON(task);
  return version === '1.0' ? (json as object) : aged(json);
};

/** What a message came to: a task, or a message in its place. */
export function writeRestSent(version: RestVersion, sent: Task | Message): object {
  if (!('messageId' in sent)) return { task: writeRestTask(version, sent) };
  const json = Message.toJSON(sent);
  return version === '1.0' ? { message: json } : { msg: aged(json) };
}

/** An agent's card. */
export const writeRestCard = (version: RestVersion, card: AgentCard): object =>
  version === '1.0' ? (AgentCard.toJSON(card) as object) : agedCard(card);

/** A page of tasks. */
export const writeRestList = (
  version: RestVersion,
  { tasks, nextPageToken, pageSize, totalSize }: ListTasksResponse,
): object => ({ tasks: tasks.map((task) => writeRestTask(version, task)), nextPageToken, pageSize, totalSize });

/** An event of a stream. */
export function writeRestEvent(version: RestVersion, event: StreamResponse): object {
  const json = StreamResponse.toJSON(event) as object;
  if (version === '1.0') return json;
  const { payload } = event;
  if (payload?.$case === 'message') return { msg: aged(Message.toJSON(payload.value)) };
  const old = aged(json);
  if (payload?.$case !== 'statusUpdate') return old;
  const state = payload.value.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  return { statusUpdate: { ...(old as { readonly statusUpdate: object }).statusUpdate, final: terminal.has(state) } };
}

/** An error, and its HTTP status. */
export const writeRestError = (
  version: RestVersion,
  error: unknown,
): { readonly status: number; readonly body: object } => {
  const status = restStatusFor(error);
  return { status, body: version === '1.0' ? toRestErrorBody(error, status) : toLegacyHTTPError(error) };
};

/** What A2A has no error for, or what was refused before it was read: its HTTP status, and the code that google.rpc has for that. */
export function writeRestProblem(version: RestVersion, status: number, message: string): object {
  const name = rpcCodes[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  if (version === '1.0') return { error: { code: status, status: name, message, details: [] } };
  const code = status < 500 ? A2A_ERROR_CODE.INVALID_REQUEST : A2A_ERROR_CODE.INTERNAL_ERROR;
  return { code, status: name, message };
}

/** The names of google.rpc.Code for HTTP statuses. */
const rpcCodes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** States may be named as 0.3 names them. */
function stateNamed(name: string): string {
  if (name in TaskState) return name;
  const modern = `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
  if (modern in TaskState) return modern;
  throw new RequestMalformedError('status is no task state');
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A request of 0.3 in the words of 1.0. A configuration that does not say `blocking` says false: the JSON of protocol buffers leaves out
 * what is false, and `SendMessageConfiguration.blocking` of 0.3 has it that the task is returned immediately then.
 */
function modernised({ request, message = request, configuration, ...rest }: JsonObject): JsonObject {
  const { content, ...said } = isObject(message) ? message : { content: undefined };
  return {
    ...rest,
    ...(isObject(configuration)
      ? { configuration: { ...modernConfiguration(configuration), returnImmediately: configuration.blocking !== true } }
      : {}),
    ...(isObject(message)
      ? { message: { ...said, ...modernRole(said), parts: Array.isArray(content) ? content.map(modernPart) : content } }
      : {}),
  };
}

/** Roles may be named as the JSON of 0.3 names them, too: by its own protocol buffers they are named as in 1.0. */
function modernRole({ role }: JsonObject): JsonObject {
  return role === 'user' || role === 'agent' ? { role: `ROLE_${role.toUpperCase()}` } : {};
}

function modernConfiguration(configuration: JsonObject): JsonObject {
  const {
    pushNotificationConfig: named,
    pushNotification = named,
    push_notification: push = pushNotification,
  } = configuration;
  const taskPushNotificationConfig = oldPushConfig(push);
  return taskPushNotificationConfig === undefined ? configuration : { ...configuration, taskPushNotificationConfig };
}

/** The same JSON with the names that 0.3 has, wherever a message or artifact stands in it. */
function aged(json: unknown): object {
  return old(json) as object;
}

function old(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(old);
  if (!isObject(json)) return json;
  const isMessage = 'messageId' in json;
  const members = Object.entries(json).map(([name, value]): [string, unknown] => {
    if (name === 'metadata') return [name, value];
    if (name === 'state' && value === 'TASK_STATE_CANCELED') return [name, 'TASK_STATE_CANCELLED'];
    if (name === 'parts' && Array.isArray(value)) return [isMessage ? 'content' : name, value.map(oldPart)];
    return [name, old(value)];
  });
  return Object.fromEntries(members);
}

function oldPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  if ('data' in part) return { data: { data: part.data } };
  if (!('raw' in part) && !('url' in part)) return { text: part.text };
  const where = 'raw' in part ? { fileWithBytes: part.raw } : { fileWithUri: part.url };
  return { file: { ...where, name: part.filename, mimeType: part.mediaType } };
}
