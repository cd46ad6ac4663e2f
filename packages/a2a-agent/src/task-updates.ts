import type { OtherStreamFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { inputParts } from './input-message.ts';
import { type Artifact, type StreamResponse, type Task, TaskState, type TaskStatus } from './protocol.ts';
import { artifactsOf, contextIdOf, statusOf, type TaskView, taskOf } from './task.ts';
import { isWaiting } from './task-state.ts';

/** Facts that do not show in the state of a task. */
type WithoutTaskState =
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
  | 'callEdited'
  | OtherStreamFact
  | 'conversationCreated'
  | 'userMessageReceived'
  | 'stepStarted'
  | 'modelResponded'
  | 'modelFailed'
  | 'approvalRequested'
  | 'approvalResolved'
  | 'toolCallStarted'
  | 'toolCallFinished'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'delegationFinished'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'delegationRequested'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'modelAnsweredNothing'
  | 'agentCalled'
  | 'agentReturned'
  | 'stepReminded'
  | 'stepCanceled'
  | 'runPaused'
  | 'runResumed'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

/** What an event makes of the task's state; undefined if it does not show. `before`: the state that was shown last. */
export function stateAfter(fact: facts.Payload['fact'], before: TaskState | undefined) {
  switch (fact.case) {
    case 'runStarted':
    case 'runClaimed':
      return before === TaskState.TASK_STATE_WORKING ? undefined : TaskState.TASK_STATE_WORKING;
    case 'runReleased':
      return waiting;
    // A tool server asks people in the midst of a call, which goes on with the answer: nobody lets go of the run.
    case 'inputRequested':
      // A token is waited for once the run is released; a model that is asked is at work.
      if (fact.value.kind !== facts.InputKind.INPUT) return undefined;
      return before === waiting ? undefined : waiting;
    case 'inputProvided':
      if (fact.value.action === facts.InputAction.UNSPECIFIED || fact.value.sampling !== undefined) return undefined;
      return workingAgain(before);
    case 'inputWithdrawn':
      return workingAgain(before);
    case 'runCompleted':
      return TaskState.TASK_STATE_COMPLETED;
    case 'runFailed':
      return TaskState.TASK_STATE_FAILED;
    case 'runCanceled':
      return TaskState.TASK_STATE_CANCELED;
    default:
      fact.case satisfies WithoutTaskState | undefined;
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
  const status = statusAfter(view, next, withHitl);
  return [
    ...artifactsAfter(view, next).map(
      (artifact): StreamResponse => ({ payload: { $case: 'artifactUpdate', value: whole(ids, artifact, revision) } }),
    ),
    { payload: { $case: 'statusUpdate', value: { ...ids, status, metadata: { revision } } } },
  ];
}

/**
 * The task as one event left it, without its messages.
 *
 * @param view - the conversation at the event's revision or later.
 */
export const taskAfter = (view: TaskView, revision: number, next: TaskState): Task => {
  const task = taskOf(view);
  const metadata = { ...task.metadata, revision };
  return { ...task, status: statusAfter(view, next, false), artifacts: artifactsAfter(view, next), metadata };
};

/** What is asked now is shown if the task still stands there; what was asked before it moved on is past. */
function statusAfter(view: TaskView, next: TaskState, withHitl: boolean): TaskStatus {
  const now = statusOf(view, withHitl);
  const { pendingInputs } = view.head;
  // What a tool server asks is waited for, whatever else is worked on, has been answered, or has been taken over.
  const isOpen = (state: TaskState) => state === TaskState.TASK_STATE_WORKING || isWaiting(state);
  if (pendingInputs.length > 0 && isOpen(next) && isOpen(now.state))
    return isWaiting(now.state) ? now : { ...statusOf(view, withHitl, inputParts(pendingInputs)), state: waiting };
  return now.state === next || (next === waiting && isWaiting(now.state)) ? now : passed(next, now);
}

const artifactsAfter = ({ head }: TaskView, next: TaskState): Artifact[] =>
  next === TaskState.TASK_STATE_COMPLETED ? artifactsOf(head) : [];

const waiting = TaskState.TASK_STATE_INPUT_REQUIRED;

const passed = (state: TaskState, { timestamp }: TaskStatus): TaskStatus => ({ state, timestamp, message: undefined });

type Ids = { readonly taskId: string; readonly contextId: string };

const whole = (ids: Ids, artifact: Artifact, revision: number) => ({
  ...ids,
  artifact,
  append: false,
  lastChunk: true,
  metadata: { revision },
});
