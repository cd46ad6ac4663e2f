import { visibleJson } from '@stopgo/core';
import type { StreamSlot } from '@stopgo/http';
import { jsonBody } from '@stopgo/http';
import type { Request, Response } from 'express';
import type { RestVersion } from '../dialect.ts';
import { isObject } from '../dialect.ts';
import { isAbsentOr, mustBeText } from '../ids.ts';
import { unparsable } from '../json-rpc.ts';
import {
  type A2ARequestHandler,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  type SendMessageRequest,
  ServerCallContext,
  type StreamResponse,
  type Task,
  VersionNotSupportedError,
} from '../protocol.ts';
import { readRestPush, writeRestPush, writeRestPushList } from '../push.ts';
import {
  mediaTypeOf,
  readRestList,
  readRestSend,
  restVersionOf,
  writeRestCard,
  writeRestError,
  writeRestEvent,
  writeRestList,
  writeRestProblem,
  writeRestSent,
  writeRestTask,
} from '../rest.ts';
import type { A2ARoute, HttpAgent } from './http-agent.ts';
import { answerEnvelope } from './json-rpc-routes.ts';
import { peerOf } from './peer.ts';
import { saysJson, versionAsked } from './request-headers.ts';
import { ServiceError } from './service-error.ts';
import { openStream, sendStream } from './sse-answer.ts';

/** What an operation gives: an answer, or the events of a stream. */
type Outcome =
  | { readonly kind: 'answer'; readonly body: object; readonly status?: number }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'stream'; readonly events: AsyncGenerator<StreamResponse, void> };

type Operation = (handler: A2ARequestHandler, req: Request, version: RestVersion) => Promise<Outcome>;

const context = new ServerCallContext();

const idOf = (req: Request): string => (typeof req.params.taskId === 'string' ? req.params.taskId : '');

/** The tenant that a request names, in its path or query. */
function tenantOf({ params, query }: Request): string {
  return asTenant(params.tenant ?? query.tenant);
}

function asTenant(named: unknown): string {
  if (!isAbsentOr('string', named)) throw new RequestMalformedError(mustBeText('tenant'));
  return typeof named === 'string' ? named : '';
}

/** The same, or in the body of a request that may have none. */
function tenantAnywhere(req: Request): string {
  const body = req.method === 'POST' ? jsonBody(req) : undefined;
  return tenantOf(req) || asTenant(isObject(body) ? body.tenant : undefined);
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
  const sent = await handler.sendMessage(messageIn(req, version), context);
  return { kind: 'answer', body: writeRestSent(version, sent), status: version === '1.0' ? 200 : 201 };
};

const stream: Operation = async (handler, req, version) => ({
  kind: 'stream',
  events: handler.sendMessageStream(messageIn(req, version), context),
});

const subscribe: Operation = async (handler, req) => ({
  kind: 'stream',
  events: handler.resubscribe({ tenant: tenantAnywhere(req), id: idOf(req) }, context),
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
  taskAnswer(
    version,
    await handler.cancelTask({ tenant: tenantAnywhere(req), id: idOf(req), metadata: undefined }, context),
  );

const extendedCard: Operation = async (handler, req, version) => ({
  kind: 'answer',
  body: writeRestCard(version, await handler.getAuthenticatedExtendedAgentCard({ tenant: tenantOf(req) }, context)),
});

const createPush: Operation = async (handler, req, version) => {
  const config = readRestPush(version, idOf(req), jsonBody(req));
  const asked = { ...config, tenant: tenantOf(req) || config.tenant };
  const made = await handler.createTaskPushNotificationConfig(asked, context);
  return { kind: 'answer', body: writeRestPush(version, made), status: 201 };
};

const listPush: Operation = async (handler, req, version) => {
  const all = { tenant: tenantOf(req), taskId: idOf(req), pageSize: 0, pageToken: '' };
  const { configs } = await handler.listTaskPushNotificationConfigs(all, context);
  return { kind: 'answer', body: writeRestPushList(version, configs) };
};

const pushIdOf = (req: Request) => ({
  tenant: tenantOf(req),
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

const pushConfigs = '/tasks/:taskId/pushNotificationConfigs';

const operations: readonly (readonly [A2ARoute<unknown>['method'], string, Operation])[] = [
  ['POST', '/message\\:send', send],
  ['POST', '/message\\:stream', stream],
  ['GET', '/tasks', list],
  ['GET', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:subscribe', subscribe],
  ['POST', '/tasks/:taskId\\:cancel', cancel],
  ['GET', '/tasks/:taskId', get],
  ['POST', pushConfigs, createPush],
  ['GET', pushConfigs, listPush],
  ['GET', `${pushConfigs}/:configId`, getPush],
  ['DELETE', `${pushConfigs}/:configId`, deletePush],
];

/**
 * HTTP+JSON at the paths of 1.0, and of 0.3 under `/v1`; a request that names its version is answered in that at either.
 * An envelope of JSON-RPC that is sent to one of them is answered as such. The paths of 1.0 may begin with a tenant: there
 * is none, which these are told in the words of the protocol.
 */
export const restRoutes = <Frame>(agent: HttpAgent<Frame>): readonly A2ARoute<Frame>[] => {
  const route = (
    byPath: RestVersion,
    path: string,
    [method, , operation]: (typeof operations)[number],
  ): A2ARoute<Frame> => ({
    method,
    path,
    handle: (req, res, frame) => answer(agent, req, res, frame, { byPath, operation }),
    sayProblem: sayProblemIn(byPath),
  });
  const of10 = [...operations, ['GET', '/extendedAgentCard', extendedCard] as const];
  const of03 = [...operations, ['GET', '/card', extendedCard] as const];
  return [
    ...of10.map((operation) => route('1.0', operation[1], operation)),
    ...of03.map((operation) => route('0.3', `/v1${operation[1]}`, operation)),
    ...of10.map((operation) => route('1.0', `/:tenant${operation[1]}`, operation)),
  ];
};

/** How it is said that nothing is found at an address among those of HTTP+JSON; undefined for other addresses. */
export function sayProblemAt(path: string): SayRefusal | undefined {
  if (/^\/v1(?:\/|$)/.test(path)) return sayProblemIn('0.3');
  return /^(?:\/[^/]+)?\/(?:tasks|message:\w+)(?:[/:]|$)/.test(path) ? sayProblemIn('1.0') : undefined;
}

const sayProblemIn =
  (version: RestVersion): SayRefusal =>
  (res, { status, body }) =>
    sendBody(res, version, status, writeRestProblem(version, status, String(body.error)));

/** Says a refusal in the words of the protocol. */
type SayRefusal = NonNullable<A2ARoute<unknown>['sayProblem']>;

type Asked = { readonly byPath: RestVersion; readonly operation: Operation };

async function answer<Frame>(
  agent: HttpAgent<Frame>,
  req: Request,
  res: Response,
  frame: Frame,
  { byPath, operation }: Asked,
) {
  const spoken = restVersionOf(versionAsked(req), byPath);
  const version = spoken ?? '1.0';
  let slot: StreamSlot | undefined;
  try {
    const body = bodyOf(req);
    if (body === undefined && req.params.tenant === undefined && mayBeEnvelope(req)) {
      // Whoever reads only the status of an answer is not to take it for a good one.
      sendBody(res, '0.3', 400, unparsable());
      return;
    }
    if (isObject(body) && 'jsonrpc' in body && req.params.tenant === undefined) {
      await answerEnvelope(agent, { req, res, frame, body });
      return;
    }
    if (spoken === undefined)
      throw new VersionNotSupportedError('this version of A2A is not spoken here; use 1.0 or 0.3');
    const peer = peerOf(agent, req, res, frame);
    const outcome = await operation(peer.handlerFor(version), req, version);
    if (outcome.kind === 'nothing') {
      res.status(204).end();
      return;
    }
    if (outcome.kind === 'answer') {
      sendBody(res, version, outcome.status ?? 200, outcome.body);
      return;
    }
    slot = openStream(agent, res, peer);
    // What goes wrong before the first event is an answer like any other.
    const first = outcome.events.next();
    await Promise.race([first, peer.opened]);
    await sendStream(agent, res, slot, shown(version, first, outcome.events), peer);
  } catch (error) {
    slot?.release();
    if (res.headersSent) throw error;
    const said = agent.readable(error, req, frame);
    if (said instanceof ServiceError) {
      for (const [name, value] of Object.entries(said.headers)) res.setHeader(name, value);
      sendBody(res, version, said.status, writeRestProblem(version, said.status, said.message));
      return;
    }
    const { status, body } = writeRestError(version, said);
    sendBody(res, version, status, body);
  }
}

/**
 * The body, if it can be read: there are clients that send envelopes of JSON-RPC to these addresses, and expect one back.
 *
 * @throws A2AError for what is no JSON and does not claim to be.
 */
function bodyOf(req: Request): unknown {
  try {
    return jsonBody(req);
  } catch {
    if (saysJson(req)) return undefined;
    throw new ContentTypeNotSupportedError('the body must be JSON; send it with Content-Type: application/a2a+json');
  }
}

/** Whether a body that cannot be read was to be an envelope of JSON-RPC, by its text: then its sender expects one back. */
const mayBeEnvelope = ({ body }: Request): boolean => Buffer.isBuffer(body) && body.includes('"jsonrpc"');

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
  res.end(visibleJson(JSON.stringify(body)));
}
