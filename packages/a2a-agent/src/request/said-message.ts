import { createHash } from 'node:crypto';
import { type Json, sha256Hex } from '@stopgo/core';
import { decisionsIn, type SaidDecision } from '../decision.ts';
import type { Dialect } from '../dialect.ts';
import { type InputWords, inputWordsIn } from '../input-message.ts';
import {
  type Message,
  type Part,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  type SendMessageRequest,
} from '../protocol.ts';
import { requireUserRole } from '../role.ts';
import { type TextRules, textForAgent } from './message-text.ts';
import { type AskedPush, readPush } from './push.ts';
import { type Reading, readingOf } from './reading.ts';
import { soundJson } from './sound-json.ts';
import { readTaskName, type TaskName } from './task-name.ts';

/** What a peer says: to an agent that he has no task with yet, or to a task. */
export type SaidMessage = FirstMessage | FollowUp;

type Said = {
  /** Empty in the dialect that has none. */
  readonly messageId: string;
  /** Empty if the peer names none. */
  readonly contextId: string;
  /** What is said to the agent: its texts, and its data as JSON. Not empty in a first message. */
  readonly text: string;
  /** Who is to be told of the task. */
  readonly push: AskedPush | undefined;
  /** Of what the message says, whatever its id. */
  readonly digest: Reading<string>;
};

/** It decides nothing: there is nothing yet that could wait for it. */
export type FirstMessage = Said & { readonly kind: 'first' };

export type FollowUp = Said & {
  readonly kind: 'follow_up';
  readonly task: TaskName;
  readonly inputs: Reading<InputWords>;
  readonly decisions: Reading<readonly SaidDecision[]>;
};

/** What an agent takes. */
export type MessageRules = TextRules & {
  readonly dialect: Dialect;
  /** False: nobody is told of tasks. */
  readonly tellsOfTasks: boolean;
};

/** Reads a message. @throws A2AError for what this agent does not take; what a task is needed for is told once it is found. */
export function readMessage({ message, configuration }: SendMessageRequest, rules: MessageRules): SaidMessage {
  const sound = requireMessage(message, rules.dialect);
  const text = textForAgent(sound, rules);
  const config = configuration?.taskPushNotificationConfig;
  if (config !== undefined && !rules.tellsOfTasks) throw new PushNotificationNotSupportedError();
  const { messageId, contextId, taskId } = sound;
  const push = config && readPush(config, rules.dialect);
  const said = { messageId, contextId, text, push, digest: readingOf(() => contentDigest(sound)) };
  if (taskId !== '') {
    return {
      ...said,
      kind: 'follow_up',
      task: readTaskName(taskId),
      inputs: readingOf(() => inputWordsIn(sound)),
      decisions: readingOf(() => decisionsIn(sound)),
    };
  }
  if (text === '') throw new RequestMalformedError('the message says nothing');
  return { ...said, kind: 'first' };
}

/** The message of a request, from a user and with an id where there has to be one. @throws A2AError if it is none. */
export function requireMessage(message: Message | undefined, dialect: Dialect): Message {
  if (message === undefined) throw new RequestMalformedError('message is missing');
  if (dialect !== 'legacy' && message.messageId === '') throw new RequestMalformedError('message.messageId is missing');
  requireUserRole(message);
  return message;
}

const contentDigest = ({ parts, metadata }: Message): string =>
  sha256Hex(
    soundJson({
      parts: parts.map(sayingOf),
      metadata: (metadata ?? {}) as Json,
    }),
  );

/** A file is known by its digest: the same name with other bytes says something else, and so do the same bytes under another name. */
function sayingOf({ content, filename, mediaType }: Part): Json {
  if (content?.$case === 'raw')
    return ['raw', createHash('sha256').update(content.value).digest('hex'), filename, mediaType];
  return [content?.$case ?? '', (content?.value ?? null) as Json];
}
