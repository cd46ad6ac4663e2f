import { randomUUID } from 'node:crypto';
import { parseJson } from '@stopgo/core';
import { isObject } from '../dialect.ts';
import { type Message, type Task, TaskState } from '../protocol.ts';
import { type DiscoveredCard, readAnyCard } from './any-card.ts';
import { readAnyAnswer, readAnyTask } from './any-task.ts';
import { errorIn, RemoteAgentError, resultsFrom } from './envelope.ts';
import { type ReadEvent, readEvents } from './event-reader.ts';

/** How a client asks. */
export type ClientOptions = {
  /** How long an answer may take, in milliseconds; that of a stream only until it begins. */
  readonly timeoutMs?: number;
  /** In place of the global one: for proxies, certificates, tokens. */
  readonly fetch?: typeof fetch;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the ids of messages. */
  readonly newId?: () => string;
};

/** What is said to an agent: a new task, or with a task's id the next message of that task. */
export type Saying = {
  readonly text: string;
  readonly taskId?: string;
  readonly contextId?: string;
  /** The same id for the same message said again. */
  readonly messageId?: string;
};

/** Which tasks are asked for. */
export type TaskFilter = {
  readonly contextId?: string;
  readonly status?: TaskState;
  /** 1 to 100. */
  readonly pageSize?: number;
  readonly pageToken?: string;
};

/** A page of tasks; `nextPageToken` is empty on the last one. */
export type TaskPage = { readonly tasks: readonly Task[]; readonly nextPageToken: string; readonly totalSize: number };

/**
 * Talks to agents over HTTP. `endpoint` is what stands before `/message:send` and `/tasks`. Every method rejects with
 * `RemoteAgentError` for what the agent refuses, with the reason of `signal` where that aborts, and with an `Error` for an
 * answer that cannot be read.
 */
export type A2AClient = {
  /** The task that the message made, or a message in its place: agents may answer at once, without a task. */
  sendMessage(endpoint: string, saying: Saying, signal?: AbortSignal): Promise<Task | Message>;
  /** As `sendMessage`, with each change of the task as it comes. */
  streamMessage(endpoint: string, saying: Saying, signal?: AbortSignal): AsyncGenerator<ReadEvent, void>;
  /** The task as it is, then each change of it. Agents refuse that of a task that has ended. */
  subscribeToTask(endpoint: string, id: string, signal?: AbortSignal): AsyncGenerator<ReadEvent, void>;
  getTask(endpoint: string, id: string, historyLength?: number, signal?: AbortSignal): Promise<Task>;
  listTasks(endpoint: string, filter?: TaskFilter, signal?: AbortSignal): Promise<TaskPage>;
  cancelTask(endpoint: string, id: string, signal?: AbortSignal): Promise<Task>;
  /** The card at the well-known place below an address, or at the one that agents before 0.3 have it at. */
  discoverAgent(baseUrl: string, signal?: AbortSignal): Promise<DiscoveredCard>;
};

const timeoutMsDefault = 60_000;

/** A client for agents of any dialect: it says what all of them read, and reads what any of them says. */
export function createHttpClient(options: ClientOptions = {}): A2AClient {
  const { timeoutMs = timeoutMsDefault, headers = {}, newId = randomUUID } = options;
  const ask = async (url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const signals = signal === undefined ? [late.signal] : [late.signal, signal];
    try {
      const over = AbortSignal.any(signals);
      const response = await (options.fetch ?? fetch)(url, {
        ...init,
        headers: { ...headers, ...init.headers },
        signal: over,
      });
      if (isStream(response)) return response;
      // The time is for the whole of it, however slowly it comes.
      const body = await response.text();
      return new Response(body === '' ? null : body, response);
    } finally {
      clearTimeout(timer);
    }
  };
  const askJson = async (url: string, init: RequestInit, signal?: AbortSignal) =>
    resultOf(await ask(url, init, signal), url);
  const askStream = async function* (url: string, init: RequestInit, signal?: AbortSignal) {
    const response = await ask(url, init, signal);
    if (isStream(response)) yield* readEvents(response, url);
    else yield answered(await resultOf(response, url));
  };
  const post = (method: string, said: Saying): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: newId(), method, params: { message: messageOf(said, newId) } }),
  });
  return {
    sendMessage: async (endpoint, saying, signal) =>
      readAnyAnswer(await askJson(at(endpoint, '/message:send'), post('message/send', saying), signal)),
    streamMessage: (endpoint, saying, signal) =>
      askStream(at(endpoint, '/message:stream'), post('message/stream', saying), signal),
    subscribeToTask: (endpoint, id, signal) =>
      askStream(at(endpoint, `${taskPath(id)}:subscribe`), { method: 'POST' }, signal),
    getTask: async (endpoint, id, historyLength, signal) =>
      readAnyTask(await askJson(at(endpoint, taskPath(id), { historyLength }), {}, signal)),
    listTasks: async (endpoint, filter = {}, signal) => {
      const { contextId, status, pageSize, pageToken } = filter;
      const state = status === undefined ? undefined : TaskState[status];
      return pageOf(
        await askJson(at(endpoint, '/tasks', { contextId, status: state, pageSize, pageToken }), {}, signal),
      );
    },
    cancelTask: async (endpoint, id, signal) =>
      readAnyTask(await askJson(at(endpoint, `${taskPath(id)}:cancel`), { method: 'POST' }, signal)),
    discoverAgent: async (baseUrl, signal) => {
      const cardAt = (path: string) => ask(at(baseUrl, path), { headers: { 'a2a-version': '1.0' } }, signal);
      const found = await cardAt('/.well-known/agent-card.json');
      const response = found.status === 404 ? await cardAt('/.well-known/agent.json') : found;
      return readAnyCard(await resultOf(response, baseUrl));
    },
  };
}

const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`;

function at(base: string, path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/** A message as every dialect reads it: `kind` for 0.3, `type` for what came before. */
const messageOf = ({ text, taskId, contextId, messageId }: Saying, newId: () => string) => ({
  kind: 'message',
  messageId: messageId ?? newId(),
  role: 'user',
  parts: [{ kind: 'text', type: 'text', text }],
  ...(taskId === undefined ? {} : { taskId }),
  ...(contextId === undefined ? {} : { contextId }),
});

const isStream = (response: Response): boolean =>
  response.ok && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');

/** @throws RemoteAgentError for an error status, in the words of the protocol if it is said in them; Error for no JSON. */
async function jsonOf(response: Response): Promise<unknown> {
  const json = parseJson(await response.text());
  if (!response.ok)
    throw errorIn(json) ?? new RemoteAgentError(response.status, `the agent answered with HTTP ${response.status}`);
  if (json === undefined) throw new Error('the answer of the agent is no JSON');
  return json;
}

/** @throws as {@link jsonOf}, and RemoteAgentError for an error in an envelope. */
const resultOf = async (response: Response, url: string): Promise<unknown> =>
  resultsFrom(url, response.headers.get('content-type') ?? '')(await jsonOf(response));

function answered(json: unknown): ReadEvent {
  const said = readAnyAnswer(json);
  return {
    event: { payload: 'messageId' in said ? { $case: 'message', value: said } : { $case: 'task', value: said } },
  };
}

function pageOf(json: unknown): TaskPage {
  if (!isObject(json) || !Array.isArray(json.tasks)) throw new Error('the answer holds no list of tasks');
  const { nextPageToken, totalSize } = json;
  return {
    tasks: json.tasks.map(readAnyTask),
    nextPageToken: typeof nextPageToken === 'string' ? nextPageToken : '',
    totalSize: typeof totalSize === 'number' ? totalSize : json.tasks.length,
  };
}
