import { DomainError, type Json, visibleJson } from '@stopgo/core';
import type { StreamSlot } from '@stopgo/http';
import { jsonBody } from '@stopgo/http';
import type { Request, Response } from 'express';
import { answerJsonRpc, notJson, refused, unparsable } from '../json-rpc.ts';
import { ServerCallContext } from '../protocol.ts';
import type { A2ARoute, HttpAgent, Refusal } from './http-agent.ts';
import { dialectOfTask, peerOf } from './peer.ts';
import { saysJson, versionAsked } from './request-headers.ts';
import { openStream, sendStream } from './sse-answer.ts';

/** JSON-RPC, in every dialect at every address. An answer is HTTP 200 whatever it says, but 401 to whoever has to sign in first. */
export const jsonRpcRoutes = <Frame>(agent: HttpAgent<Frame>): readonly A2ARoute<Frame>[] =>
  ['/a2a', '/a2a/v1', '/'].map((path) => ({
    method: 'POST',
    path,
    handle: (req, res, frame) => answer(agent, req, res, frame),
    sayProblem,
  }));

async function answer<Frame>(agent: HttpAgent<Frame>, req: Request, res: Response, frame: Frame): Promise<void> {
  const body = bodyOf(req);
  if (body === undefined) sendEnvelope(res, saysJson(req) || versionAsked(req) !== '1.0' ? unparsable() : notJson());
  else await answerEnvelope(agent, { req, res, frame, body });
}

/** A request that holds an envelope of JSON-RPC. */
export type EnvelopeRequest<Frame> = {
  readonly req: Request;
  readonly res: Response;
  readonly frame: Frame;
  readonly body: unknown;
};

/** Answers an envelope, at whatever address it came. */
export async function answerEnvelope<Frame>(
  agent: HttpAgent<Frame>,
  { req, res, frame, body }: EnvelopeRequest<Frame>,
): Promise<void> {
  const peer = peerOf(agent, req, res, frame);
  let slot: StreamSlot | undefined;
  const said = await answerJsonRpc({
    body,
    version: versionAsked(req),
    context: new ServerCallContext(),
    opened: peer.opened,
    beforeStream: () => {
      slot = openStream(agent, res, peer);
    },
    dialectOfTask: (id) => dialectOfTask(agent, req, frame, id),
    handlerFor: peer.handlerFor,
  });
  if (said.kind === 'stream' && slot !== undefined) return sendStream(agent, res, slot, said.envelopes, peer);
  slot?.release();
  if (said.kind === 'one') sendEnvelope(res, said.envelope);
}

function bodyOf(req: Request): Json | undefined {
  try {
    return jsonBody(req);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_argument') return undefined;
    throw error;
  }
}

/** What is refused before it is read: too large, of somebody who has to sign in, or the server stops. */
function sayProblem(res: Response, { status, body }: Refusal): void {
  const text = typeof body.error === 'string' ? body.error : 'the request was refused';
  sendEnvelope(res, refused(text, status < 500 ? 'peer' : 'ours'), status === 401 ? status : 200);
}

function sendEnvelope(res: Response, envelope: object, status = 200): void {
  if (res.headersSent) return;
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json');
  res.end(visibleJson(JSON.stringify(envelope)));
}
