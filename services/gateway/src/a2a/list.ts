import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type ListTasksRequest,
  type ListTasksResponse,
  RequestMalformedError,
  standingIn,
  TaskState,
  taskOf,
} from '@stopgo/a2a-agent';
import { DomainError } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { principalKey } from '@stopgo/rpc';
import { cursorCharactersMax, tasksPerPageDefault, tasksPerPageMax } from '../bounds.ts';
import { soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';
import { recentHistory } from './task-view.ts';

/**
 * A page of tasks, the one whose status changed last first: with each filter the pages are full, and the total is that of
 * all pages.
 */
export async function listTasks(
  deps: RouteDependencies,
  call: A2ACall,
  params: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { pageSize = tasksPerPageDefault, historyLength = 0, pageToken, contextId } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > tasksPerPageMax) {
    throw new RequestMalformedError(`pageSize must be 1 to ${tasksPerPageMax}`);
  }
  if (!Number.isInteger(historyLength) || historyLength < 0) {
    throw new RequestMalformedError('historyLength must be 0 or more');
  }
  if (pageToken.length > cursorCharactersMax) throw badToken();
  const since = params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter);
  if (Number.isNaN(since)) throw new RequestMalformedError('statusTimestampAfter must be a time (RFC 3339)');
  const standing = standingAsked(params.status);
  const { frame } = call;
  await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
  if (standing === undefined) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const listed = deps.clients.store.listByChange(
    {
      limit: pageSize,
      cursor: pageToken,
      standing,
      ...(contextId === '' ? {} : { contextId, principal: principalKey(frame.principal) }),
      ...(since === undefined ? {} : { changedSince: timestampFromMs(since) }),
    },
    { context: frame.context },
  );
  const page = await listed.catch((error: unknown) => {
    throw pageToken !== '' && error instanceof DomainError && error.kind === 'invalid_argument' ? badToken() : error;
  });
  const tasks = page.conversations.map(soundView).map(async (view) => {
    const history = await recentHistory(deps, call, view, historyLength);
    const task = taskOf(view, { history, withHitl: call.withHitl });
    return params.includeArtifacts ? task : { ...task, artifacts: [] };
  });
  return { tasks: await Promise.all(tasks), nextPageToken: page.nextCursor, pageSize, totalSize: page.matching };
}

/** How the conversations stand that are asked for; undefined if no task is ever in the state. */
function standingAsked(status: TaskState): views.Standing | undefined {
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is no task state');
  return status === TaskState.TASK_STATE_UNSPECIFIED ? views.Standing.UNSPECIFIED : standingIn(status);
}

const badToken = () =>
  new RequestMalformedError('pageToken is not one that this list gave; leave it out to start with the first page');
