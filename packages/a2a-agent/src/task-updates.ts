import { facts } from '@stopgo/proto';
import { inputParts } from './input-message.ts';
import { type Artifact, type StreamResponse, TaskState, type TaskStatus } from './protocol.ts';
import { artifactsOf, contextIdOf, statusOf, type TaskView } from './task.ts';

/** What an event makes of the task's state; undefined if it does not show. `before`: the state that was shown last. */
export function stateAfter(fact: facts.Payload['fact'], before: TaskState | undefined) {
  switch (fact.case) {
    case 'runStarted':
    case 'runClaimed':
      return before === TaskState.TASK_STATE_WORKING ? undefined : TaskState.TASK_STATE_WORKING;
    case 'runReleased':
      return WAITING;
    // A tool server asks people in the midst of a call, which goes on with the answer: nobody lets go of the run.
    case 'inputRequested':
      return fact.value.serverQuestion === undefined || before === WAITING ? undefined : WAITING;
    case 'inputProvided':
      return fact.value.action === facts.InputAction.UNSPECIFIED ? undefined : workingAgain(before);
    case 'inputWithdrawn':
      return workingAgain(before);
    case 'runCompleted':
      return TaskState.TASK_STATE_COMPLETED;
    case 'runFailed':
      return TaskState.TASK_STATE_FAILED;
    case 'runCanceled':
      return TaskState.TASK_STATE_CANCELED;
    default:
      return undefined;
  }
}

const workingAgain = (before: TaskState | undefined): TaskState | undefined =>
  before === TaskState.TASK_STATE_WORKING ? undefined : TaskState.TASK_STATE_WORKING;

/**
 * The updates that one event makes, in order; the change of state is the last.
 *
 * @param view - the conversation at the event's revision or later.
 */
export function updatesOf(view: TaskView, revision: number, next: TaskState, withHitl: boolean): StreamResponse[] {
  const ids = { taskId: view.head.id, contextId: contextIdOf(view.head) };
  const artifacts = next === TaskState.TASK_STATE_COMPLETED ? artifactsOf(view.head) : [];
  // What is asked now is shown if the task still stands there; what was asked before it moved on is past.
  const now = statusOf(view, withHitl);
  const { pendingInputs } = view.head;
  // Others of its calls may be worked on while a tool server asks in the midst of one.
  const asks = next === WAITING && now.state === TaskState.TASK_STATE_WORKING && pendingInputs.length > 0;
  const asked = () => ({ ...statusOf(view, withHitl, inputParts(pendingInputs)), state: WAITING });
  const stands = now.state === next || (next === WAITING && isWaiting(now.state));
  const status = asks ? asked() : stands ? now : passed(next, now);
  return [
    ...artifacts.map(
      (artifact): StreamResponse => ({ payload: { $case: 'artifactUpdate', value: whole(ids, artifact, revision) } }),
    ),
    { payload: { $case: 'statusUpdate', value: { ...ids, status, metadata: { revision } } } },
  ];
}

const WAITING = TaskState.TASK_STATE_INPUT_REQUIRED;

/** True for a state in which the task waits for somebody. */
export const isWaiting = (state: TaskState): boolean =>
  state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;

const passed = (state: TaskState, { timestamp }: TaskStatus): TaskStatus => ({ state, timestamp, message: undefined });

type Ids = { readonly taskId: string; readonly contextId: string };

const whole = (ids: Ids, artifact: Artifact, revision: number) => ({
  ...ids,
  artifact,
  append: false,
  lastChunk: true,
  metadata: { revision },
});
