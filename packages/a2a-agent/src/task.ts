// What a conversation is to other agents: a task, made of the views of the store. Whoever shows one, in an answer, a stream or a
// notification, shows the same.

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { approvalKindWord, parseJson, standingOf, visibleText } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { approvalParts, hitlExtension, hitlRequest, type ShownApproval } from './approval-message.ts';
import { inputParts } from './input-message.ts';
import { type AgentMessage, agentMessage, textPart } from './parts.ts';
import { pausedSentence } from './paused-sentence.ts';
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
  UnsupportedOperationError,
} from './protocol.ts';
import { terminal } from './task-state.ts';

/** A conversation that is shown, with its pending approvals. */
export type TaskView = { readonly head: views.ConversationHead; readonly approvals: readonly views.Approval[] };

/** @throws A2AError for a task that has ended: nothing more will be heard of it. */
export function requireOpen(head: views.ConversationHead): void {
  if (terminal.has(stateOf(head))) throw new UnsupportedOperationError('the task has ended; get it instead');
}

/** How a task is shown. */
export type Showing = {
  readonly history?: Message[];
  /** What its status says in place of what it would say by itself. */
  readonly says?: Part[];
  readonly withHitl?: boolean;
};

/** A conversation as a task: what its latest run came to, or waits for. */
export function taskOf(view: TaskView, { history = [], says, withHitl = false }: Showing = {}): Task {
  const { head } = view;
  return {
    id: head.id,
    contextId: contextIdOf(head),
    status: statusOf(view, withHitl, says),
    artifacts: artifactsOf(head),
    history,
    metadata: { revision: head.revision, ...(head.sessionId === '' ? {} : { sessionId: head.sessionId }) },
  };
}

/** The context that a conversation belongs to: tasks of one context follow one another. */
export const contextIdOf = ({ id, contextId }: views.ConversationHead): string => contextId || id;

const states: readonly (readonly [views.Standing, TaskState])[] = [
  [views.Standing.NEW, TaskState.TASK_STATE_SUBMITTED],
  [views.Standing.WORKING, TaskState.TASK_STATE_WORKING],
  [views.Standing.WAITING, TaskState.TASK_STATE_INPUT_REQUIRED],
  [views.Standing.WAITING_FOR_TOKEN, TaskState.TASK_STATE_AUTH_REQUIRED],
  [views.Standing.COMPLETED, TaskState.TASK_STATE_COMPLETED],
  [views.Standing.FAILED, TaskState.TASK_STATE_FAILED],
  [views.Standing.CANCELED, TaskState.TASK_STATE_CANCELED],
];

/** The state of a conversation's latest run; submitted before its first message. */
export function stateOf(head: views.ConversationHead): TaskState {
  const stands = standingOf(head);
  return states.find(([standing]) => standing === stands)?.[1] ?? TaskState.TASK_STATE_UNSPECIFIED;
}

/** How the conversations of tasks in a state stand; undefined for a state that no task is ever in. */
export const standingIn = (asked: TaskState): views.Standing | undefined =>
  states.find(([, state]) => state === asked)?.[0];

/** The state with what it says: what is to be approved or brought, or why the run failed. */
export function statusOf({ head, approvals }: TaskView, withHitl: boolean, says?: Part[]): TaskStatus {
  const state = stateOf(head);
  const parts = says ?? saidWith(state, head, approvals);
  const identity = { id: `${head.id}:${head.revision}`, taskId: head.id, contextId: contextIdOf(head) };
  const shown = approvals.map(shownApproval);
  return {
    state,
    timestamp: head.updatedAt === undefined ? undefined : timestampDate(head.updatedAt).toISOString(),
    message: parts.length === 0 ? undefined : asking({ ...identity, parts }, withHitl ? shown : []),
  };
}

function saidWith(state: TaskState, head: views.ConversationHead, approvals: readonly views.Approval[]): Part[] {
  switch (state) {
    case TaskState.TASK_STATE_INPUT_REQUIRED:
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return [
        // Whoever asked is not who resumes it: they are told what they wait for, and not asked about nothing.
        ...(head.run?.paused === undefined ? [] : [textPart(pausedSentence(head.run.paused))]),
        ...(head.authPrompt === '' ? [] : [textPart(visibleText(head.authPrompt))]),
        ...inputParts(head.pendingInputs),
        ...(approvals.length === 0 ? [] : approvalParts(approvals.map(shownApproval))),
      ];
    case TaskState.TASK_STATE_FAILED:
      return head.run?.response ? [textPart(head.run.response)] : [];
    default:
      return [];
  }
}

function asking(message: AgentMessage, approvals: readonly ShownApproval[]): Message {
  const made = agentMessage(message);
  if (approvals.length === 0) return made;
  return { ...made, metadata: { [hitlExtension]: hitlRequest(approvals) }, extensions: [hitlExtension] };
}

function argumentsOf({ argumentsJson }: views.Approval): Pick<ShownApproval, 'arguments'> {
  return argumentsJson === '' ? {} : { arguments: parseJson(argumentsJson) ?? {} };
}

/** An approval as peers see it. */
export const shownApproval = (approval: views.Approval): ShownApproval => ({
  id: approval.id,
  callId: approval.callId,
  tool: approval.tool,
  ...argumentsOf(approval),
  description: approval.description,
  kind: approvalKindWord(approval.kind),
  choices: approval.choices,
  server: approval.server,
  agents: approval.agents,
  ...(approval.expiresAt === undefined ? {} : { expiresAt: timestampDate(approval.expiresAt).toISOString() }),
});

/** The answer of a run that completed. */
export function artifactsOf({ run }: views.ConversationHead): Artifact[] {
  if (run === undefined || run.status !== views.RunStatus.COMPLETED || run.response === '') return [];
  return [
    {
      artifactId: run.id,
      name: 'answer',
      description: '',
      parts: [textPart(run.response)],
      metadata: undefined,
      extensions: [],
    },
  ];
}

/** What was said in a conversation, without what its tools were told and told. */
export function historyOf(messages: readonly views.Message[], taskId: string, contextId: string): Message[] {
  return messages
    .filter(({ role, content }) => content !== '' && (role === 'user' || role === 'assistant'))
    .map(({ id, role, content }) => ({
      ...agentMessage({ id, taskId, contextId, parts: [textPart(content)] }),
      role: role === 'user' ? Role.ROLE_USER : Role.ROLE_AGENT,
    }));
}
