import { hitlExtension } from '@stopgo/a2a-agent';
import { a2aRoutes, type HttpAgent, lastRevisionSeen } from '@stopgo/a2a-agent/http';
import { conversationStream, isUuid } from '@stopgo/core';
import { envelope, fromBinary } from '@stopgo/proto';
import { describeError } from '@stopgo/runtime';
import type { Request } from 'express';
import type { Frame } from '../frame.ts';
import { permit, type Route, type RouteDependencies } from '../routes/route.ts';
import { legacySurface, surface } from './call.ts';
import { extensionsOf } from './extensions.ts';
import { handlerOf } from './handler.ts';
import { headersOf, type SaidHeaders } from './headers.ts';
import { profileOf, reachedAt } from './profile.ts';
import { asA2AError } from './task-errors.ts';

/** What is known of a request before anything of A2A is read. */
type Asked = { readonly frame: Frame; readonly headers: SaidHeaders };

/**
 * A2A over HTTP: the surface that every agent has, with the services behind it. A request changes hands twice: what is ours alone of its
 * headers is read here, then the surface reads all of it that is A2A, and gives it back as an operation.
 */
export function a2aRoutesOf(deps: RouteDependencies): readonly Route[] {
  const readable = (error: unknown, req: Request, { sessionId }: Frame) =>
    asA2AError(error, deps.newId, (cause, id) =>
      deps.log.error('internal error', { error_id: id, path: req.path, sid: sessionId, error: describeError(cause) }),
    );
  const agent: HttpAgent<Asked> = {
    extensions: extensionsOf(deps),
    handlerFor: ({ req, frame: { frame, headers }, dialect, named, cursor, open, signal }) =>
      handlerOf(
        {
          ...deps,
          profile: () => profileOf(deps, reachedAt(req), frame),
          asA2AError: (error) => readable(error, req, frame),
        },
        {
          ...{ frame, dialect, ...headers, extensions: named, withHitl: named.includes(hitlExtension) },
          ...{ cursor, open, signal },
        },
      ),
    profileOf: async (req, { frame }) => {
      await permit(deps, frame, 'card.read', { kind: 'service' });
      return profileOf(deps, reachedAt(req), frame);
    },
    startedIn: ({ frame }, taskId) => startedIn(deps, frame, taskId),
    readable: (error, req, { frame }) => readable(error, req, frame),
    streams: deps.streams,
    heartbeatMs: deps.heartbeatMs,
    readerStallMs: deps.readerStallMs,
  };
  return a2aRoutes(agent).map((route) => {
    // A card says how to sign in.
    const isOpen = route.path.includes('/.well-known/');
    return {
      ...route,
      ...(isOpen ? { isOpen } : {}),
      handle: async (req, res, frame) => {
        // Refused before the operation is: JSON-RPC says there what went wrong in an answer that went well, and clients see by the status
        // that they have to sign in.
        if (!isOpen && frame.principal.kind === 'nobody')
          await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
        await route.handle(req, res, { frame, headers: httpHeaders(req) });
      },
    };
  });
}

const httpHeaders = (req: Request): SaidHeaders =>
  headersOf(
    (name) => req.get(name),
    () => lastRevisionSeen(req),
  );

/** The dialect that a task was started in, if that was over A2A; undefined if there is no such task. */
async function startedIn(
  deps: RouteDependencies,
  frame: Frame,
  taskId: string,
): Promise<'0.3' | 'legacy' | 'unknown' | undefined> {
  const id = taskId.toLowerCase();
  if (!isUuid(id)) return undefined;
  await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
  const { events } = await deps.clients.store.readStream(
    { stream: conversationStream(id), fromRevision: 1, limit: 1 },
    { context: frame.context },
  );
  const [first] = events;
  if (first === undefined) return undefined;
  const { actor } = fromBinary(envelope.EnvelopeSchema, first.envelope);
  if (actor?.surface === legacySurface) return 'legacy';
  return actor?.surface === surface ? '0.3' : 'unknown';
}
