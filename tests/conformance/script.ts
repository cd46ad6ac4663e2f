// What the agent does that the public conformance kit of A2A talks to: the id of a message begins with what is to be done.

import { setTimeout as pause } from 'node:timers/promises';
import { ContentTypeNotSupportedError } from '@stopgo/a2a-agent';
import {
  InputRequired,
  type Message,
  type NewArtifact,
  type Part,
  type ProcessFunc,
  Rejected,
  textPart,
} from '@stopgo/a2a-agent/agent';

/** How long a task goes on that somebody shall subscribe to, in milliseconds: twice the time that the kit gives a stream. */
export const LONG_MS = 4_000;
/** How long a task takes whose stream is looked at, in milliseconds. */
export const STREAMED_MS = 200;

/**
 * How long the answer to a decision is held back, in milliseconds, so that whoever is told of the task is told before: the kit takes
 * what comes later for what its next test waits for.
 */
export const TOLD_MS = 200;

/** What is said when nothing else is asked for. */
export const ANSWER = 'Hello from TCK';
const QUESTION = 'Which one?';

const FILE = { filename: 'output.txt', mediaType: 'text/plain', metadata: undefined };

const inFile: Part = { ...FILE, content: { $case: 'raw', value: Buffer.from('Generated file content') } };
const atUrl: Part = { ...FILE, content: { $case: 'url', value: 'https://example.com/output.txt' } };
const inData: Part = {
  content: { $case: 'data', value: { key: 'value', count: 42 } },
  filename: '',
  mediaType: 'application/json',
  metadata: undefined,
};

const artifact = (name: string, ...parts: Part[]): NewArtifact => ({ artifactId: name, name, parts });

/** What the kit's scenarios ask for, by the beginning of a message's id; the longest that fits counts. */
const SCENES: Readonly<Record<string, ProcessFunc>> = {
  'tck-artifact-text': () => ({ artifacts: [artifact('text', textPart('Generated text content'))] }),
  'tck-artifact-file': () => ({ artifacts: [artifact('file', inFile)] }),
  'tck-artifact-file-url': () => ({ artifacts: [artifact('file-url', atUrl)] }),
  'tck-artifact-data': () => ({ artifacts: [artifact('data', inData)] }),
  'tck-input-required': () => {
    throw new InputRequired(QUESTION);
  },
  'tck-reject-task': () => {
    throw new Rejected('rejected');
  },
  'tck-stream-001': streamed(artifact('out', textPart('Stream hello from TCK'))),
  'tck-stream-002': () => undefined,
  'tck-stream-003': streamed(artifact('out', textPart('Stream task lifecycle'))),
  'tck-stream-ordering-001': streamed(artifact('out', textPart('Ordered output'))),
  'tck-stream-artifact-text': streamed(artifact('out', textPart('Streamed text content'))),
  'tck-stream-artifact-file': streamed(artifact('out', inFile)),
  'tck-stream-artifact-chunked': ({ show }) => {
    show(artifact('out', textPart('chunk-1 ')), { append: false, last: false });
    show(artifact('out', textPart('chunk-2')), { append: true, last: true });
    return undefined;
  },
  'test-resubscribe-message-id': async ({ signal }) => {
    await pause(LONG_MS, undefined, { signal });
    return undefined;
  },
};

function streamed(shown: NewArtifact): ProcessFunc {
  return async ({ show, signal }) => {
    await pause(STREAMED_MS, undefined, { signal });
    show(shown);
    return undefined;
  };
}

/** What a message asks for. */
export type Wish =
  | { readonly kind: 'scene'; readonly scene: string }
  /** Be done at once. */
  | { readonly kind: 'answer' }
  /** Stay open and ask: the kit of version 0.3 goes on with, and cancels, whatever it has sent. */
  | { readonly kind: 'ask' };

/** What a message's id asks for. */
export function wishOf(messageId: string): Wish {
  const [scene] = Object.keys(SCENES)
    .filter((prefix) => messageId.startsWith(prefix))
    .sort((one, other) => other.length - one.length);
  if (scene !== undefined) return { kind: 'scene', scene };
  return messageId.startsWith('tck-') ? { kind: 'answer' } : { kind: 'ask' };
}

/** What an agent of the library does. */
export const process: ProcessFunc = (turn) => {
  const wish = wishOf(turn.message.messageId);
  if (wish.kind === 'ask') throw new InputRequired(QUESTION);
  return wish.kind === 'answer' ? ANSWER : SCENES[wish.scene]?.(turn);
};

/** Some messages are answered with a message. Files are refused, as the platform refuses them: the card names texts and data only. */
export function reply({ messageId, parts }: Message): string | undefined {
  if (parts.some(({ content }) => content?.$case === 'raw' || content?.$case === 'url'))
    throw new ContentTypeNotSupportedError('this agent reads text and data, no files');
  return messageId.startsWith('tck-message-response') ? 'Direct message response' : undefined;
}

/** Scenes that no conversation of the platform can show: its answers are texts, and each message makes a task. */
const BEYOND_A_CONVERSATION = [
  'tck-artifact-file',
  'tck-artifact-data',
  'tck-message-response',
  'tck-reject-task',
  'tck-stream-artifact-file',
  'tck-stream-artifact-chunked',
];

/** True for a message that the platform has no answer for. */
export const isBeyondAConversation = ({ messageId }: Message): boolean =>
  BEYOND_A_CONVERSATION.some((prefix) => messageId.startsWith(prefix));
