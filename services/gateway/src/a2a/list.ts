import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type AskedPage, badPageToken, type ListTasksResponse, standingIn, taskOf } from '@stopgo/a2a-agent';
import { DomainError, principalKey, reachOf } from '@stopgo/core';
import { views } from '@stopgo/proto';
import type { Frame } from '../frame.ts';
import { soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';
import { recentHistory } from './task-view.ts';

/** A context is that of one principal; without one, all tasks that the caller may see are listed. */
function ofWhom({ principal }: Frame, contextId: string): { contextId?: string; principal?: string } {
  if (contextId !== '') return { contextId, principal: principalKey(principal) };
  return reachOf(principal, 'conversation.list') === 'own' ? { principal: principalKey(principal) } : {};
}

/**
 * A page of tasks, the one whose status changed last first: with each filter the pages are full, and the total is that of
 * all pages.
 */
export async function listTasks(deps: RouteDependencies, call: A2ACall, page: AskedPage): Promise<ListTasksResponse> {
  const { pageSize, pageToken, contextId, changedSince: since, historyLength, includeArtifacts } = page;
  const standing = page.state === undefined ? views.Standing.UNSPECIFIED : standingIn(page.state);
  const { frame } = call;
  await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
  // No task is ever in that state.
  if (standing === undefined) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const listed = deps.clients.store.listByChange(
    {
      limit: pageSize,
      cursor: pageToken,
      standing,
      ...ofWhom(frame, contextId),
      ...(since === undefined ? {} : { changedSince: timestampFromMs(since) }),
    },
    { context: frame.context },
  );
  const listing = await listed.catch((error: unknown) => {
    throw pageToken !== '' && error instanceof DomainError && error.kind === 'invalid_argument'
      ? badPageToken()
      : error;
  });
  const tasks = listing.conversations.map(soundView).map(async (view) => {
    const history = await recentHistory(deps, call, view, historyLength);
    const task = taskOf(view, { history, withHitl: call.withHitl });
    return includeArtifacts ? task : { ...task, artifacts: [] };
  });
  return { tasks: await Promise.all(tasks), nextPageToken: listing.nextCursor, pageSize, totalSize: listing.matching };
}
