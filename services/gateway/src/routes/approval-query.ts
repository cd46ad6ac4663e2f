import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  askedWords,
  invalidArgument,
  type Principal,
  principalKey,
  reachOf,
  userIdOf,
  userKey,
  voterOf,
} from '@stopgo/core';
import type { Request } from 'express';
import { approverNamed } from '../actor.ts';
import { nameCharactersMax } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { Query } from '../query.ts';
import { approvalStatuses } from '../render/words.ts';
import { permit, type RouteDependencies } from './route.ts';

/**
 * What a request narrows approvals by, of those that whoever asks may see; `also`: and of those that they may decide.
 *
 * @throws DomainError `invalid_argument` that names the parameter, and what `permit` throws.
 */
export async function approvalsAsked(deps: RouteDependencies, req: Request, frame: Frame, also = false) {
  const query = new Query(req);
  const status = query.choice('status', approvalStatuses);
  const conversationId = query.uuid('conversation');
  const before = query.time('requested_before');
  const now = deps.wallClock();
  const tool = query.text('tool', nameCharactersMax) ?? '';
  const narrow = {
    ...(/[*?]/.test(tool) ? { toolPattern: tool } : { tool }),
    ...{ agent: query.text('agent', nameCharactersMax) ?? '', server: query.text('server', nameCharactersMax) ?? '' },
    node: query.text('node', nameCharactersMax) ?? '',
    ...(before === undefined ? {} : { requestedBefore: timestampFromMs(before) }),
    ...(query.choice('overdue', { true: true }) === undefined ? {} : { overdueAt: timestampFromMs(now) }),
  };
  const mayDecide = query.choice('may_decide', { me: true }) ?? false;
  const assignee = query.text('assignee', nameCharactersMax);
  if (conversationId !== undefined) frame.conversationId = conversationId;
  await permit(deps, frame, 'approval.list', { kind: 'approval' });
  const isOwn = reachOf(frame.principal, 'approval.list') === 'own';
  if (isOwn && conversationId !== undefined)
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id: conversationId });
  // What is assigned to somebody is in whoever's conversation: of it, what asks them is shown.
  const isMine = assignee === 'me' && frame.principal.kind === 'user';
  const asked = mayDecide ? askedOfMe(frame.principal, now) : isMine ? askedOf(frame.principal, now, false) : undefined;
  if (also && (asked !== undefined || conversationId !== undefined))
    throw invalidArgument('"also" adds to all that you may see: leave out may_decide, conversation and assignee=me');
  // Who may see all of them sees what they may decide, too.
  const askedToo = also && isOwn ? askedOf(frame.principal, now, false) : undefined;
  return {
    ...narrow,
    ...(assignee === undefined ? {} : { assignment: assignmentOf(req, frame, assignee) }),
    ...(status === undefined ? {} : { status }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(asked === undefined ? {} : { askedOf: asked }),
    ...(askedToo === undefined ? {} : { askedOf: askedToo }),
    ...(isOwn && asked === undefined ? { principal: principalKey(frame.principal) } : {}),
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
export const askedOf = (principal: Principal, now: number, withoutVoted = true) =>
  principal.kind === 'user'
    ? {
        ...{ words: [...askedWords(principal)], principal: principalKey(principal) },
        ...{ at: timestampFromMs(now), withoutVoted },
      }
    : undefined;

/**
 * Whose approvals `me`, `none`, an e-mail address or a claimed name stands for.
 *
 * @throws DomainError `invalid_argument` for `me` of somebody who says nobody's name.
 */
function assignmentOf(req: Request, frame: Frame, name: string) {
  if (name === 'none') return { case: 'unassigned', value: true } as const;
  const me = name === 'me' ? keyOfMe(req, frame) : undefined;
  if (name === 'me' && me === undefined)
    throw invalidArgument('"assignee" is me, and nobody knows who you are: sign in, or send your name in X-Approver');
  return { case: 'assignee', value: me ?? keyOf(frame.principal, name) } as const;
}

const keyOf = (principal: Principal, name: string): string =>
  principal.kind === 'user' ? userKey(userIdOf(name)) : voterOf(principal, { id: name, claimed: true }).key;

/** Key of whoever asks: who is signed in, else the name that they claim; undefined: nobody in particular. */
export function keyOfMe(req: Request, { principal }: Frame): string | undefined {
  const name = approverNamed(req.get('x-approver'));
  const { key } = voterOf(principal, name === undefined ? { id: '' } : { id: name, claimed: true });
  return key === '' ? undefined : key;
}
