// The dialect before 0.3: what it sends read into the model, and the model written as it expects it.
import type { Json } from '@stopgo/core';
import { isDecisionData } from './decision.ts';
import { isObject } from './dialect.ts';
import { mustBeText, problemOfIds } from './ids.ts';
import { isInputData } from './input-message.ts';
import { dataPart, textOf, textPart } from './parts.ts';
import {
  A2A_ERROR_CODE,
  A2AError,
  type Message,
  type Part,
  RequestMalformedError,
  Role,
  type SendMessageRequest,
  type Task,
  TaskNotFoundError,
  TaskState,
} from './protocol.ts';

const states: Readonly<Partial<Record<TaskState, string>>> = {
  // It knows no state before the first message: nothing is being done, so that the next message may come.
  [TaskState.TASK_STATE_SUBMITTED]: 'completed',
  [TaskState.TASK_STATE_WORKING]: 'working',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
};

/**
 * Reads the params of `message/send`: the first text part that is not empty is the message.
 *
 * @throws A2AError for params that hold no such message.
 */
export function readLegacySend(params: unknown): SendMessageRequest {
  if (!isObject(params) || !isObject(params.message)) throw new RequestMalformedError('Invalid params');
  const { message } = params;
  const misnamed = problemOfIds(params, 'params') ?? problemOfIds(message, 'message');
  if (misnamed !== undefined) throw new RequestMalformedError(`Invalid params: ${misnamed}`);
  const texts = Array.isArray(message.parts) ? message.parts.flatMap(textIn) : [];
  const text = texts.find((one) => one !== '');
  if (text === undefined) throw new RequestMalformedError('No text part in message');
  return {
    tenant: '',
    message: {
      messageId: textMember(message.messageId),
      contextId: textMember(message.contextId),
      taskId: textMember(params.taskId) || textMember(message.taskId),
      role: Role.ROLE_USER,
      parts: [textPart(text), ...decisionData(message.parts)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

/** What names the approval that is meant: whoever sends it knows more than words. */
function decisionData(parts: unknown): Part[] {
  const data = Array.isArray(parts)
    ? parts.flatMap((part) =>
        isObject(part) && (isDecisionData(part.data) || isInputData(part.data)) ? [part.data] : [],
      )
    : [];
  return data.map((one) => dataPart(one as Json));
}

/** The id in the params of `tasks/get`. @throws A2AError if there is none. */
export function readLegacyId(params: unknown): string {
  const { id } = isObject(params) ? params : { id: undefined };
  if (typeof id !== 'string' || id === '') {
    throw new RequestMalformedError(`Invalid params: ${mustBeText('params.id')}`);
  }
  return id;
}

/** An artifact that is a text. */
export const legacyArtifact = (text: string): Json => ({ parts: [{ type: 'text', text }] });

/**
 * A task: the status message is a text, the artifact is one, and is there as soon as the agent has said anything; it is
 * also in a list, where some look for it.
 */
export function writeLegacyTask({ id, status, artifacts }: Task): Json {
  const message = textOf(status?.message?.parts ?? []);
  const answer = artifacts.map(({ parts }) => textOf(parts)).join('\n') || message;
  return {
    id,
    status: {
      state: states[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED] ?? 'unknown',
      ...(message === '' ? {} : { message }),
    },
    ...(answer === '' ? {} : { artifact: legacyArtifact(answer), artifacts: [legacyArtifact(answer)] }),
  };
}

/** A message in place of a task, which this dialect does not know: a task that is done with it. */
export const writeLegacyMessage = ({ messageId, parts }: Message): Json => ({
  id: messageId,
  status: { state: 'completed' },
  artifact: legacyArtifact(textOf(parts)),
  artifacts: [legacyArtifact(textOf(parts))],
});

/** An error: its code and text; a task that is not there is a wrong param. */
export function writeLegacyError(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof TaskNotFoundError || error instanceof RequestMalformedError) {
    return { code: A2A_ERROR_CODE.INVALID_PARAMS, message: error.message };
  }
  const message = error instanceof A2AError || error instanceof Error ? error.message : 'internal error';
  return { code: A2A_ERROR_CODE.INTERNAL_ERROR, message };
}

const textIn = (part: unknown): string[] =>
  isObject(part) && (part.type ?? part.kind ?? 'text') === 'text' && typeof part.text === 'string' ? [part.text] : [];

const textMember = (value: unknown): string => (typeof value === 'string' ? value : '');
