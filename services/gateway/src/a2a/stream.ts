import {
  isWaiting,
  requireOpen,
  type SaidMessage,
  type StreamResponse,
  stateAfter,
  stateOf,
  type Task,
  type TaskName,
  TaskState,
  taskOf,
  terminal,
  updatesOf,
} from '@stopgo/a2a-agent';
import { conversationStream } from '@stopgo/core';
import { envelope, facts, fromBinary, type views } from '@stopgo/proto';
import { tenureOf } from '../auth/tenure.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';
import { send } from './send.ts';
import { viewOf } from './task-view.ts';

type Updates = AsyncGenerator<StreamResponse, void>;

/** Sends a message, then shows what becomes of its task until it has ended or waits for the peer. */
export async function* sendAndFollow(deps: RouteDependencies, call: A2ACall, said: SaidMessage): Updates {
  const { view, says } = await send(deps, call, said, 0);
  yield shown(
    call,
    view.head.revision,
    taskOf(view, { withHitl: call.withHitl, ...(says === undefined ? {} : { says }) }),
  );
  const state = stateOf(view.head);
  if (state === TaskState.TASK_STATE_WORKING)
    yield* updates(deps, call, view.head, { untilWaiting: true, shown: state });
}

/**
 * Shows what becomes of a task from now on, or from where a client was cut off, until the task has ended; while it waits
 * for somebody the stream stays open. A task that has ended can only be gone on with.
 */
export async function* follow(deps: RouteDependencies, call: A2ACall, task: TaskName): Updates {
  const view = await viewOf(deps, call, task);
  const { head } = view;
  await permit(deps, call.frame, 'conversation.follow', { kind: 'conversation', id: head.id });
  const { after } = call;
  if (after === undefined) {
    requireOpen(head);
    yield shown(call, head.revision, taskOf(view, { withHitl: call.withHitl }));
    yield* updates(deps, call, head, { untilWaiting: false, shown: stateOf(head) });
    return;
  }
  // What was before the latest run is no part of the task that is shown.
  const from = Math.min(Math.max(after, (head.run?.messageRevision ?? 1) - 1), head.revision);
  if (from === head.revision && terminal.has(stateOf(head))) return;
  call.open();
  yield* updates(deps, call, { ...head, revision: from }, { untilWaiting: false });
}

function shown({ cursor }: A2ACall, revision: number, task: Task): StreamResponse {
  cursor.revision = revision;
  return { payload: { $case: 'task', value: task } };
}

/** Every change of the task's state after a revision, in the order of the log: the same for whoever asks, anywhere. */
async function* updates(
  deps: RouteDependencies,
  call: A2ACall,
  head: Pick<views.ConversationHead, 'id' | 'revision' | 'pendingInputs'>,
  { untilWaiting, shown }: { readonly untilWaiting: boolean; readonly shown?: TaskState },
): Updates {
  const { store } = deps.clients;
  const tenure = tenureOf(deps, call.frame, 'conversation.follow', { kind: 'conversation', id: head.id });
  const options = { context: call.frame.context, signal: AbortSignal.any([call.signal, tenure.signal]) };
  const asked = new Set(head.pendingInputs.map(({ id }) => id));
  let state: TaskState | undefined;
  try {
    const events = store.follow({ stream: conversationStream(head.id), fromRevision: head.revision + 1 }, options);
    for await (const { event } of events) {
      if (event === undefined) continue;
      const { revision, payload } = fromBinary(envelope.EnvelopeSchema, event.envelope);
      const { fact } = fromBinary(facts.PayloadSchema, payload);
      keepAsked(asked, fact);
      let next = stateAfter(fact, state);
      // While tool servers ask, and where a question was one of several things that are waited for, no event tells by itself that
      // nothing else is left to do.
      const isWorking = (next ?? state ?? shown) === TaskState.TASK_STATE_WORKING;
      const isAnswered = fact.case === 'inputProvided' || fact.case === 'inputWithdrawn';
      if (isWorking && (asked.size > 0 || isAnswered) && (await waits(deps, call, head.id, revision))) next = waiting;
      if (next === undefined) continue;
      state = next;
      yield* update(deps, call, head.id, revision, next);
      if (terminal.has(next) || (untilWaiting && next === waiting)) return;
    }
    tenure.signal.throwIfAborted();
  } catch (error) {
    tenure.signal.throwIfAborted();
    if (!call.signal.aborted) throw error;
  } finally {
    tenure.end();
  }
}

const waiting = TaskState.TASK_STATE_INPUT_REQUIRED;

/** Keeps the ids of what tool servers ask people. */
function keepAsked(asked: Set<string>, fact: facts.Payload['fact']): void {
  if (fact.case === 'inputRequested' && fact.value.kind === facts.InputKind.INPUT) asked.add(fact.value.inputId);
  if (fact.case === 'inputProvided' || fact.case === 'inputWithdrawn') asked.delete(fact.value.inputId);
}

/** True if the task waits for somebody, at a revision or later. */
async function waits(deps: RouteDependencies, call: A2ACall, id: string, revision: number): Promise<boolean> {
  return isWaiting(stateOf((await viewOf(deps, call, { id, asWritten: id }, revision)).head));
}

/** The updates that one event makes. Only the last of them carries the revision: who is cut off before it gets all again. */
async function* update(deps: RouteDependencies, call: A2ACall, id: string, revision: number, next: TaskState): Updates {
  const all = updatesOf(await viewOf(deps, call, { id, asWritten: id }, revision), revision, next, call.withHitl);
  for (const [index, one] of all.entries()) {
    call.cursor.revision = index === all.length - 1 ? revision : undefined;
    yield one;
  }
}
