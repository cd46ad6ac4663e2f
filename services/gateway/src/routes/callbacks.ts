import { notFound } from '@stopgo/core';
import type { Request } from 'express';
import { orNotFound } from '../path-ids.ts';
import { permit, type Route, type RouteDependencies } from './route.ts';

/** An agent's word that a task of its has changed. What else it says is not even read: the task is looked at. */
export const callbackRoutes = (deps: RouteDependencies): readonly Route[] => [
  {
    method: 'POST',
    path: '/a2a/notify/:conversation/:message',
    isOpen: true,
    handle: async (req, res, frame) => {
      await permit(deps, frame, 'task.nudge', { kind: 'service' });
      const nudge = { conversationId: idIn(req, 'conversation'), messageId: idIn(req, 'message'), token: tokenOf(req) };
      // What stands in the place of a bearer token is none, and is handed on to nobody.
      const { bearerToken: _token, ...context } = frame.context;
      await orNotFound(deps.clients.orchestrator.nudgeTask(nudge, { context }), () =>
        notFound('no task is waited for there'),
      );
      res.status(204).end();
    },
  },
];

function idIn(req: Request, name: string): string {
  const id = req.params[name];
  return typeof id === 'string' ? id : '';
}

/** Agents show the token, or what they were given as credentials, which is the same. */
const tokenOf = (req: Request): string =>
  req.get('x-a2a-notification-token') ?? /^bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
