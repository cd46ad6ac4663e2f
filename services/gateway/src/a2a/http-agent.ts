import { a2aRoutes, type HttpAgent } from '@stopgo/a2a-agent/http';
import { conversationStream, isUuid } from '@stopgo/core';
import { envelope, fromBinary } from '@stopgo/proto';
import { describeError } from '@stopgo/runtime';
import type { Request } from 'express';
import type { Frame } from '../frame.ts';
import { permit, type Route, type RouteDependencies } from '../routes/route.ts';
import { legacySurface, surface } from './call.ts';
import { peerOf } from './peer.ts';
import { profileOf, reachedAt } from './profile.ts';
import { asA2AError } from './task-errors.ts';

/** A2A over HTTP: the surface that every agent has, with the services behind it. */
export function a2aRoutesOf(deps: RouteDependencies): readonly Route[] {
  const agent: HttpAgent<Frame> = {
    peerOf: (req, res, frame) => peerOf(deps, req, res, frame),
    profileOf: async (req, frame) => {
      await permit(deps, frame, 'card.read', { kind: 'service' });
      return profileOf(deps, reachedAt(req), frame);
    },
    dialectOfTask: (req, frame, taskId) => dialectOfTask(deps, req, frame, taskId),
    readable: (error, req, { sessionId }) =>
      asA2AError(error, deps.newId, (cause, id) =>
        deps.log.error('internal error', { error_id: id, path: req.path, sid: sessionId, error: describeError(cause) }),
      ),
    streams: deps.streams,
    heartbeatMs: deps.heartbeatMs,
    readerStallMs: deps.readerStallMs,
  };
  return a2aRoutes(agent);
}

/**
 * The dialect of somebody who asks for a task without saying how he speaks: the one that the task was started in, if that
 * was over A2A. For a task that is not there it is the legacy one at the address that peers of that age are given, else 0.3.
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
  if (actor?.surface === legacySurface) return 'legacy';
  return actor?.surface === surface ? '0.3' : 'unknown';
}
