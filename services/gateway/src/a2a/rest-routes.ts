import {
  mediaTypeOf,
  RequestMalformedError,
  type RestVersion,
  readRestList,
  readRestSend,
  restVersionOf,
  type SendMessageRequest,
  ServerCallContext,
  type StreamResponse,
  type Task,
  VersionNotSupportedError,
  writeRestCard,
  writeRestError,
  writeRestEvent,
  writeRestList,
  writeRestProblem,
  writeRestTask,
} from '@stopgo/a2a-agent';
import { describeError } from '@stopgo/runtime';
import type { Request, Response } from 'express';
import type { Frame } from '../frame.ts';
import { jsonBody } from '../request-body.ts';
import type { Route, RouteDependencies, SayProblem } from '../routes/route.ts';
import { answerAsJsonRpc } from './json-rpc-routes.ts';
import { type Peer, peerOf, versionAsked } from './peer.ts';
import { sendStream } from './sse-answer.ts';
import { asA2AError, ServiceError } from './task-errors.ts';

type Handler = ReturnType<Peer['handlerFor']>;

/** What an operation gives: an answer, or the events of a stream. */
type Outcome =
  | { readonly kind: 'answer'; readonly body: object; readonly status?: number }
  | { readonly kind: 'stream'; readonly events: AsyncGenerator<StreamResponse, void> };

type Operation = (handler: Handler, req: Request, version: RestVersion) => Promise<Outcome>;

const context = new ServerCallContext();

const idOf = (req: Request): string => (typeof req.params.taskId === 'string' ? req.params.taskId : '');

/** The tenant that a request names, in its path or query. */
function tenantOf({ params, query }: Request): string {
  const named: unknown = params.tenant ?? query.tenant;
  return named === undefined ? '' : String(named);
}

const taskAnswer = (version: RestVersion, task: Task): Outcome => ({
  kind: 'answer',
  body: writeRestTask(version, task),
});

function messageIn(req: Request, version: RestVersion): SendMessageRequest {
  const request = readRestSend(version, jsonBody(req));
  return { ...request, tenant: tenantOf(req) || request.tenant };
}

const send: Operation = async (handler, req, version) => {
  const task = await handler.sendMessage(messageIn(req, version), context);
  // This agent always makes a task of a message.
  const body = { task: writeRestTask(version, task as Task) };
  return { kind: 'answer', body, status: version === '1.0' ? 200 : 201 };
};

const stream: Operation = async (handler, req, version) => ({
  kind: 'stream',
  events: handler.sendMessageStream(messageIn(req, version), context),
});

const subscribe: Operation = async (handler, req) => ({
  kind: 'stream',
  events: handler.resubscribe({ tenant: tenantOf(req), id: idOf(req) }, context),
});

const get: Operation = async (handler, req, version) => {
  const length: unknown = req.query.historyLength ?? req.query.history_length;
  if (length !== undefined && !/^\d{1,9}$/.test(String(length))) {
    throw new RequestMalformedError('historyLength must be 0 or more');
  }
  const historyLength = length === undefined ? undefined : Number(length);
  return taskAnswer(version, await handler.getTask({ tenant: tenantOf(req), id: idOf(req), historyLength }, context));
};

const list: Operation = async (handler, req, version) => ({
  kind: 'answer',
  body: writeRestList(version, await handler.listTasks({ ...readRestList(req.query), tenant: tenantOf(req) }, context)),
});

const cancel: Operation = async (handler, req, version) =>
  taskAnswer(version, await handler.cancelTask({ tenant: tenantOf(req), id: idOf(req), metadata: undefined }, context));

const extendedCard: Operation = async (handler, req, version) => ({
  kind: 'answer',
  body: writeRestCard(version, await handler.getAuthenticatedExtendedAgentCard({ tenant: tenantOf(req) }, context)),
});

const OPERATIONS: readonly (readonly ['GET' | 'POST', string, Operation])[] = [
  ['POST', '/message\\:send', send],
  ['POST', '/message\\:stream', stream],
  ['GET', '/tasks', list],
  ['GET', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:cancel', cancel],
  ['GET', '/tasks/:taskId', get],
];

/**
 * HTTP+JSON at the paths of 1.0, and of 0.3 under `/v1`; a request that names its version is answered in that at either.
 * The paths of 1.0 may begin with a tenant: there is none, which these are told in the words of the protocol.
 */
export const restRoutes = (deps: RouteDependencies): readonly Route[] => {
  const route = (byPath: RestVersion, path: string, [method, , operation]: (typeof OPERATIONS)[number]): Route => ({
    method,
    path,
    handle: (req, res, frame) => answer(deps, req, res, frame, { byPath, operation }),
    sayProblem: sayProblemIn(byPath),
  });
  const of10 = [...OPERATIONS, ['GET', '/extendedAgentCard', extendedCard] as const];
  const of03 = [...OPERATIONS, ['GET', '/card', extendedCard] as const];
  return [
    ...of10.map((operation) => route('1.0', operation[1], operation)),
    ...of03.map((operation) => route('0.3', `/v1${operation[1]}`, operation)),
    ...of10.map((operation) => route('1.0', `/:tenant${operation[1]}`, operation)),
  ];
};

/** How it is said that nothing is found at an address among those of HTTP+JSON; undefined for other addresses. */
export function sayProblemAt(path: string): SayProblem | undefined {
  if (/^\/v1(?:\/|$)/.test(path)) return sayProblemIn('0.3');
  return /^(?:\/[^/]+)?\/(?:tasks|message:\w+)(?:[/:]|$)/.test(path) ? sayProblemIn('1.0') : undefined;
}

const sayProblemIn =
  (version: RestVersion): SayProblem =>
  (res, { status, body }) =>
    sendBody(res, version, status, writeRestProblem(version, status, String(body.error)));

type Asked = { readonly byPath: RestVersion; readonly operation: Operation };

async function answer(
  deps: RouteDependencies,
  req: Request,
  res: Response,
  frame: Frame,
  { byPath, operation }: Asked,
) {
  if (isJsonRpc(req)) return answerAsJsonRpc(deps, req, res, frame);
  const spoken = restVersionOf(versionAsked(req), byPath);
  const version = spoken ?? '1.0';
  try {
    if (spoken === undefined)
      throw new VersionNotSupportedError('this version of A2A is not spoken here; use 1.0 or 0.3');
    const peer = peerOf(deps, req, res, frame);
    const outcome = await operation(peer.handlerFor(version), req, version);
    if (outcome.kind === 'answer') {
      sendBody(res, version, outcome.status ?? 200, outcome.body);
      return;
    }
    // What goes wrong before the first event is an answer like any other.
    const first = outcome.events.next();
    await Promise.race([first, peer.opened]);
    await sendStream(deps, res, shown(version, first, outcome.events), peer);
  } catch (error) {
    if (res.headersSent) throw error;
    const said = asA2AError(error, deps.newId, reporter(deps, req, frame));
    if (said instanceof ServiceError) {
      for (const [name, value] of Object.entries(said.headers)) res.setHeader(name, value);
      sendBody(res, version, said.status, writeRestProblem(version, said.status, said.message));
      return;
    }
    const { status, body } = writeRestError(version, said);
    sendBody(res, version, status, body);
  }
}

/** There are clients that send envelopes of JSON-RPC to these addresses, and expect one back. */
function isJsonRpc(req: Request): boolean {
  if (req.method !== 'POST' || req.params.tenant !== undefined) return false;
  try {
    const body = jsonBody(req);
    return typeof body === 'object' && body !== null && 'jsonrpc' in body;
  } catch {
    return false;
  }
}

const reporter =
  ({ log }: RouteDependencies, req: Request, { sessionId }: Frame) =>
  (cause: unknown, id: string): void =>
    log.error('internal error', { error_id: id, path: req.path, sid: sessionId, error: describeError(cause) });

async function* shown(
  version: RestVersion,
  first: Promise<IteratorResult<StreamResponse, void>>,
  events: AsyncGenerator<StreamResponse, void>,
): AsyncGenerator<object, void> {
  for (let next = await first; next.done !== true; next = await events.next())
    yield writeRestEvent(version, next.value);
}

function sendBody(res: Response, version: RestVersion, status: number, body: object): void {
  if (res.headersSent) return;
  res.statusCode = status;
  res.setHeader('Content-Type', mediaTypeOf(version));
  res.end(JSON.stringify(body));
}
