import {
  mediaTypeOf,
  RequestMalformedError,
  type RestVersion,
  readRestList,
  readRestPush,
  readRestSend,
  restVersionOf,
  ServerCallContext,
  type StreamResponse,
  type Task,
  VersionNotSupportedError,
  writeRestError,
  writeRestEvent,
  writeRestList,
  writeRestProblem,
  writeRestPush,
  writeRestPushList,
  writeRestTask,
} from '@stopgo/a2a-agent';
import { describeError } from '@stopgo/runtime';
import type { Request, Response } from 'express';
import type { Problem } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { jsonBody } from '../request-body.ts';
import type { Route, RouteDependencies } from '../routes/route.ts';
import { type Peer, peerOf, versionAsked } from './peer.ts';
import { sendStream } from './sse-answer.ts';
import { asA2AError, ServiceError } from './task-errors.ts';

type Handler = ReturnType<Peer['handlerFor']>;

/** What an operation gives: an answer, or the events of a stream. */
type Outcome =
  | { readonly kind: 'answer'; readonly body: object; readonly status?: number }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'stream'; readonly events: AsyncGenerator<StreamResponse, void> };

type Operation = (handler: Handler, req: Request, version: RestVersion) => Promise<Outcome>;

const context = new ServerCallContext();

const idOf = (req: Request): string => (typeof req.params.taskId === 'string' ? req.params.taskId : '');

const taskAnswer = (version: RestVersion, task: Task): Outcome => ({
  kind: 'answer',
  body: writeRestTask(version, task),
});

const send: Operation = async (handler, req, version) => {
  const task = await handler.sendMessage(readRestSend(version, jsonBody(req)), context);
  // This agent always makes a task of a message.
  const body = { task: writeRestTask(version, task as Task) };
  return { kind: 'answer', body, status: version === '1.0' ? 200 : 201 };
};

const stream: Operation = async (handler, req, version) => ({
  kind: 'stream',
  events: handler.sendMessageStream(readRestSend(version, jsonBody(req)), context),
});

const subscribe: Operation = async (handler, req) => ({
  kind: 'stream',
  events: handler.resubscribe({ tenant: '', id: idOf(req) }, context),
});

const get: Operation = async (handler, req, version) => {
  const length: unknown = req.query.historyLength ?? req.query.history_length;
  if (length !== undefined && !/^\d{1,9}$/.test(String(length))) {
    throw new RequestMalformedError('historyLength must be 0 or more');
  }
  const historyLength = length === undefined ? undefined : Number(length);
  return taskAnswer(version, await handler.getTask({ tenant: '', id: idOf(req), historyLength }, context));
};

const list: Operation = async (handler, req, version) => ({
  kind: 'answer',
  body: writeRestList(version, await handler.listTasks(readRestList(req.query), context)),
});

const cancel: Operation = async (handler, req, version) =>
  taskAnswer(version, await handler.cancelTask({ tenant: '', id: idOf(req), metadata: undefined }, context));

const createPush: Operation = async (handler, req, version) => {
  const config = readRestPush(version, idOf(req), jsonBody(req));
  const made = await handler.createTaskPushNotificationConfig(config, context);
  return { kind: 'answer', body: writeRestPush(version, made), status: 201 };
};

const listPush: Operation = async (handler, req, version) => {
  const all = { tenant: '', taskId: idOf(req), pageSize: 0, pageToken: '' };
  const { configs } = await handler.listTaskPushNotificationConfigs(all, context);
  return { kind: 'answer', body: writeRestPushList(version, configs) };
};

const pushIdOf = (req: Request) => ({
  tenant: '',
  taskId: idOf(req),
  id: typeof req.params.configId === 'string' ? req.params.configId : '',
});

const getPush: Operation = async (handler, req, version) => ({
  kind: 'answer',
  body: writeRestPush(version, await handler.getTaskPushNotificationConfig(pushIdOf(req), context)),
});

const deletePush: Operation = async (handler, req) => {
  await handler.deleteTaskPushNotificationConfig(pushIdOf(req), context);
  return { kind: 'nothing' };
};

const PUSH_CONFIGS = '/tasks/:taskId/pushNotificationConfigs';

const OPERATIONS: readonly (readonly [Route['method'], string, Operation])[] = [
  ['POST', '/message\\:send', send],
  ['POST', '/message\\:stream', stream],
  ['GET', '/tasks', list],
  ['GET', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:cancel', cancel],
  ['GET', '/tasks/:taskId', get],
  ['POST', PUSH_CONFIGS, createPush],
  ['GET', PUSH_CONFIGS, listPush],
  ['GET', `${PUSH_CONFIGS}/:configId`, getPush],
  ['DELETE', `${PUSH_CONFIGS}/:configId`, deletePush],
];

/** HTTP+JSON at the paths of 1.0, and of 0.3 under `/v1`; a request that names its version is answered in that at either. */
export const restRoutes = (deps: RouteDependencies): readonly Route[] =>
  (
    [
      ['', '1.0'],
      ['/v1', '0.3'],
    ] as const
  ).flatMap(([prefix, byPath]) =>
    OPERATIONS.map(([method, path, operation]) => ({
      method,
      path: `${prefix}${path}`,
      handle: (req: Request, res: Response, frame: Frame) => answer(deps, req, res, frame, { byPath, operation }),
      sayProblem: (res: Response, { status, body }: Problem) =>
        sendBody(res, byPath, status, writeRestProblem(byPath, status, String(body.error))),
    })),
  );

type Asked = { readonly byPath: RestVersion; readonly operation: Operation };

async function answer(
  deps: RouteDependencies,
  req: Request,
  res: Response,
  frame: Frame,
  { byPath, operation }: Asked,
) {
  const spoken = restVersionOf(versionAsked(req), byPath);
  const version = spoken ?? '1.0';
  try {
    if (spoken === undefined)
      throw new VersionNotSupportedError('this version of A2A is not spoken here; use 1.0 or 0.3');
    const peer = peerOf(deps, req, res, frame);
    const outcome = await operation(peer.handlerFor(version), req, version);
    if (outcome.kind === 'nothing') {
      res.status(204).end();
      return;
    }
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
