import { cursorCharactersMax, tasksPerPageDefault, tasksPerPageMax } from '../bounds.ts';
import { type ListTasksRequest, RequestMalformedError, TaskState } from '../protocol.ts';
import { readHistoryLength } from './history-length.ts';

/** The page of tasks that is asked for. */
export type AskedPage = {
  /** 1 to `tasksPerPageMax`. */
  readonly pageSize: number;
  /** Where the page begins, as an earlier one gave it; empty: at the start. */
  readonly pageToken: string;
  /** Empty: of whatever context. */
  readonly contextId: string;
  /** Undefined: in whatever state. */
  readonly state: TaskState | undefined;
  /** Only tasks whose status has changed since; milliseconds since 1970. */
  readonly changedSince: number | undefined;
  /** Messages that each task shows. */
  readonly historyLength: number;
  readonly includeArtifacts: boolean;
};

/** Reads what page is asked for. @throws A2AError for what is beyond the bounds, or no time or state. */
export function readPage(params: ListTasksRequest): AskedPage {
  const { pageSize = tasksPerPageDefault, pageToken, contextId, status, includeArtifacts = false } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > tasksPerPageMax) {
    throw new RequestMalformedError(`pageSize must be 1 to ${tasksPerPageMax}`);
  }
  const historyLength = readHistoryLength(params.historyLength) ?? 0;
  if (pageToken.length > cursorCharactersMax) throw badPageToken();
  const changedSince = params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter);
  if (Number.isNaN(changedSince)) throw new RequestMalformedError('statusTimestampAfter must be a time (RFC 3339)');
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is no task state');
  const state = status === TaskState.TASK_STATE_UNSPECIFIED ? undefined : status;
  return { pageSize, pageToken, contextId, state, changedSince, historyLength, includeArtifacts };
}

/** The error for a page token that no page gave. */
export const badPageToken = (): RequestMalformedError =>
  new RequestMalformedError('pageToken is not one that this list gave; leave it out to start with the first page');
