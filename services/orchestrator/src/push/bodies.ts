import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_CONTENT_TYPE, TaskState, taskAfter, updatesOf, writeRestEvent } from '@stopgo/a2a-agent';
import { internalError, visibleJson } from '@stopgo/core';
import type { views } from '@stopgo/proto';

export { isWaiting, stateAfter, stateOf, TaskState, terminal } from '@stopgo/a2a-agent';

/** A body, and the name by which a receiver knows one that comes again. */
export type PushBody = { readonly body: string; readonly contentType: string; readonly key: string };

const legacy = new V03PushNotificationSerializer();

/**
 * What one event of a conversation is told as, in order: in 1.0 the updates that a stream of the task shows, in 0.3 the task.
 *
 * @param view - the conversation at the event's revision or later.
 */
export function bodiesOf(
  view: views.ConversationView | undefined,
  revision: number,
  state: TaskState,
  protocolVersion: string,
): readonly PushBody[] {
  if (view?.head === undefined) throw internalError('an answer came without the head of its conversation');
  const { head, pendingApprovals: approvals } = view;
  const key = (index: number) => `${head.id}:${revision}:${index}`;
  if (protocolVersion !== '1.0') {
    const task = taskAfter({ head, approvals }, revision, state);
    const told = legacy.serialize({ payload: { $case: 'task', value: task } });
    return [{ ...told, body: visibleJson(told.body), key: key(0) }];
  }
  return updatesOf({ head, approvals }, revision, state, false).map((update, index) => ({
    body: visibleJson(JSON.stringify(writeRestEvent('1.0', update))),
    contentType: A2A_CONTENT_TYPE,
    key: key(index),
  }));
}

/** The name of a state, as version 1.0 has it, and the state of a name. */
export const wordOfState = (state: TaskState): string => TaskState[state] ?? '';
export const stateOfWord = (word: string): TaskState | undefined =>
  word in TaskState ? TaskState[word as keyof typeof TaskState] : undefined;
