import { fromBinary } from '@bufbuild/protobuf';
import { answerJsonRpc, refused, ServerCallContext, unparsable } from '@stopgo/a2a-agent';
import { conversationStream, DomainError, isUuid, type Json } from '@stopgo/core';
import { envelope } from '@stopgo/proto';
import type { Request, Response } from 'express';
import type { Problem } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { jsonBody } from '../request-body.ts';
import { permit, type Route, type RouteDependencies } from '../routes/route.ts';
import { LEGACY_SURFACE, SURFACE } from './call.ts';
import { peerOf, versionAsked } from './peer.ts';
import { sendStream } from './sse-answer.ts';

/** JSON-RPC, in every dialect at every address. An answer is HTTP 200 whatever it says. */
export const jsonRpcRoutes = (deps: RouteDependencies): readonly Route[] =>
  ['/a2a', '/a2a/v1', '/'].map((path) => ({
    method: 'POST',
    path,
    handle: (req, res, frame) => answerAsJsonRpc(deps, req, res, frame),
    sayProblem,
  }));

/** Answers a request whose body is an envelope of JSON-RPC. */
export async function answerAsJsonRpc(
  deps: RouteDependencies,
  req: Request,
  res: Response,
  frame: Frame,
): Promise<void> {
  const body = bodyOf(req);
  if (body === undefined) {
    sendEnvelope(res, unparsable());
    return;
  }
  const peer = peerOf(deps, req, res, frame);
  const said = await answerJsonRpc({
    body,
    version: versionAsked(req),
    context: new ServerCallContext(),
    opened: peer.opened,
    dialectOfTask: (id) => dialectOfTask(deps, req, frame, id),
    handlerFor: peer.handlerFor,
  });
  if (said.kind === 'one') sendEnvelope(res, said.envelope);
  else await sendStream(deps, res, said.envelopes, peer);
}

function bodyOf(req: Request): Json | undefined {
  try {
    return jsonBody(req);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_argument') return undefined;
    throw error;
  }
}

/** What is refused before it is read: too large, or the gateway stops. */
function sayProblem(res: Response, { status, body }: Problem): void {
  const text = typeof body.error === 'string' ? body.error : 'the request was refused';
  sendEnvelope(res, refused(text, status < 500 ? 'peer' : 'ours'));
}

function sendEnvelope(res: Response, envelope: object): void {
  if (res.headersSent) return;
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify(envelope));
}

/**
 * The dialect of somebody who asks for a task without saying how he speaks: the one that the task was started in, if that was over A2A. For a
 * task that is not there it is the legacy one at the address that peers of that age are given, else 0.3.
 */
async function dialectOfTask(
  deps: RouteDependencies,
  req: Request,
  frame: Frame,
  taskId: unknown,
): Promise<'0.3' | 'legacy' | 'unknown'> {
  const otherwise = req.path === '/a2a' ? 'legacy' : '0.3';
  if (typeof taskId !== 'string' || !isUuid(taskId.toLowerCase())) return otherwise;
  const id = taskId.toLowerCase();
  await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
  const { events } = await deps.clients.store.readStream(
    { stream: conversationStream(id), fromRevision: 1, limit: 1 },
    { context: frame.context },
  );
  const [first] = events;
  if (first === undefined) return otherwise;
  const { actor } = fromBinary(envelope.EnvelopeSchema, first.envelope);
  if (actor?.surface === LEGACY_SURFACE) return 'legacy';
  return actor?.surface === SURFACE ? '0.3' : 'unknown';
}
