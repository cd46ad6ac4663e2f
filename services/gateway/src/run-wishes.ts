import { invalidArgument } from '@stopgo/core';
import { type JsonObject, malformed, objectBody } from '@stopgo/http';
import type { Request } from 'express';
import { callDepthMax, revisionBytesMax } from './bounds.ts';
import { textMember } from './request-text.ts';

/** The body of a message: the members that a route knows, and those about the run of the message. */
export const runBody = (req: Request, members: readonly string[]): JsonObject =>
  objectBody(req, [...members, 'git_commit', 'max_call_depth'], {
    priority: 'is not taken: every run begins at once, so none goes before another; leave it out',
  });

/** What a request asks of the run of its message: a commit of its agent, and fewer agents below one another; empty and 0: nothing. */
export type RunWishes = { readonly agentRevision: string; readonly callDepthMax: number };

/** @throws DomainError `invalid_argument` for what no run can be asked for. */
export function runWishesIn(body: JsonObject, message: string | undefined): RunWishes {
  const wishes = { agentRevision: textMember(body, 'git_commit', revisionBytesMax) ?? '', callDepthMax: depthIn(body) };
  const unused = wishes.agentRevision !== '' ? 'git_commit' : wishes.callDepthMax > 0 ? 'max_call_depth' : undefined;
  if (message === undefined && unused !== undefined)
    throw invalidArgument(`"${unused}" is of the run of a message: send it with one`);
  return wishes;
}

function depthIn({ max_call_depth: depth }: JsonObject): number {
  if (depth === undefined || depth === null) return 0;
  if (typeof depth === 'number' && Number.isInteger(depth) && depth >= 1 && depth <= callDepthMax) return depth;
  throw malformed(`"max_call_depth" must be a whole number from 1 to ${callDepthMax}`);
}
