import {
  type ListTasksRequest,
  type ListTasksResponse,
  RequestMalformedError,
  stateOf,
  TaskState,
  taskOf,
} from '@stopgo/a2a-agent';
import { views } from '@stopgo/proto';
import { TASKS_PER_PAGE_DEFAULT, TASKS_PER_PAGE_MAX } from '../bounds.ts';
import { soundView } from '../render/conversation.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';
import { recentHistory } from './task-view.ts';

/** A page of tasks, newest first. A filter by state or context is applied to each page: it may hold fewer than asked for. */
export async function listTasks(
  deps: RouteDependencies,
  call: A2ACall,
  params: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { pageSize = TASKS_PER_PAGE_DEFAULT, historyLength = 0 } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > TASKS_PER_PAGE_MAX) {
    throw new RequestMalformedError(`pageSize must be 1 to ${TASKS_PER_PAGE_MAX}`);
  }
  if (params.status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is no task state');
  if (!Number.isInteger(historyLength) || historyLength < 0) {
    throw new RequestMalformedError('historyLength must be 0 or more');
  }
  const since = params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter);
  if (Number.isNaN(since)) throw new RequestMalformedError('statusTimestampAfter must be a time (RFC 3339)');
  await permit(deps, call.frame, 'conversation.list', { kind: 'conversation' });
  const waiting = params.status === TaskState.TASK_STATE_INPUT_REQUIRED;
  const page = await deps.clients.store.listConversations(
    {
      limit: pageSize,
      cursor: params.pageToken,
      ...(waiting ? { status: views.ConversationStatus.WAITING_APPROVAL } : {}),
    },
    { context: call.frame.context },
  );
  const tasks = page.conversations
    .map(soundView)
    .filter(({ head }) => params.status === TaskState.TASK_STATE_UNSPECIFIED || stateOf(head) === params.status)
    .map(async (view) => {
      const history = await recentHistory(deps, call, view, historyLength);
      const task = taskOf(view, { history, withHitl: call.withHitl });
      return params.includeArtifacts ? task : { ...task, artifacts: [] };
    });
  const shown = (await Promise.all(tasks)).filter(
    ({ contextId, status }) =>
      (params.contextId === '' || contextId === params.contextId) &&
      (since === undefined || Date.parse(status?.timestamp ?? '') >= since),
  );
  const { summary } = page;
  const totalSize = waiting ? (summary?.waitingApproval ?? 0) : (summary?.total ?? 0);
  return { tasks: shown, nextPageToken: page.nextCursor, pageSize, totalSize };
}
