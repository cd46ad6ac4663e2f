import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { askedWords, invalidArgument, type Principal, principalKey, reachOf } from '@stopgo/core';
import type { Request } from 'express';
import { nameCharactersMax } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { Query } from '../query.ts';
import { approvalStatuses } from '../render/words.ts';
import { permit, type RouteDependencies } from './route.ts';

/**
 * What a request narrows approvals by, of those that whoever asks may see.
 *
 * @throws DomainError `invalid_argument` that names the parameter, and what `permit` throws.
 */
export async function approvalsAsked(deps: RouteDependencies, req: Request, frame: Frame) {
  const query = new Query(req);
  const status = query.choice('status', approvalStatuses);
  const conversationId = query.uuid('conversation');
  const before = query.time('requested_before');
  const now = deps.wallClock();
  const narrow = {
    ...{ tool: query.text('tool', nameCharactersMax) ?? '', server: query.text('server', nameCharactersMax) ?? '' },
    node: query.text('node', nameCharactersMax) ?? '',
    ...(before === undefined ? {} : { requestedBefore: timestampFromMs(before) }),
    ...(query.choice('overdue', { true: true }) === undefined ? {} : { overdueAt: timestampFromMs(now) }),
  };
  const mayDecide = query.choice('may_decide', { me: true }) ?? false;
  if (conversationId !== undefined) frame.conversationId = conversationId;
  await permit(deps, frame, 'approval.list', { kind: 'approval' });
  const isOwn = reachOf(frame.principal, 'approval.list') === 'own';
  if (isOwn && conversationId !== undefined)
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id: conversationId });
  return {
    ...narrow,
    ...(status === undefined ? {} : { status }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(mayDecide ? { askedOf: askedOfMe(frame.principal, now) } : {}),
    ...(isOwn && !mayDecide ? { principal: principalKey(frame.principal) } : {}),
  };
}

/**
 * What asks somebody, until they have said yes. Whoever is named in what it demands may read it as well, so nothing else is asked of them.
 *
 * @throws DomainError `invalid_argument` for somebody who is not signed in.
 */
function askedOfMe(principal: Principal, now: number) {
  const asked = askedOf(principal, now);
  if (asked === undefined)
    throw invalidArgument('"may_decide" asks for what you may decide: sign in, or leave it out where nobody signs in');
  return asked;
}

/** The same; undefined for somebody who is not signed in. `now`: milliseconds since 1970. */
export const askedOf = (principal: Principal, now: number) =>
  principal.kind === 'user'
    ? {
        ...{ words: [...askedWords(principal)], principal: principalKey(principal) },
        ...{ at: timestampFromMs(now), withoutVoted: true },
      }
    : undefined;
