// What the agent does that the public conformance kit of A2A talks to: the id of a message begins with what is to be done.

import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@stopgo/a2a-agent';
import {
  type AgentOptions,
  InputRequired,
  type NewArtifact,
  type ProcessFunc,
  Rejected,
  textPart,
} from '@stopgo/a2a-agent/agent';

/** How long a task goes on that somebody shall subscribe to, in milliseconds: twice the time that the kit gives a stream. */
export const LONG_MS = 4_000;
/** How long a task takes whose stream is looked at, in milliseconds. */
export const STREAMED_MS = 200;

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
    throw new InputRequired('Which one?');
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

/** The beginning of a message's id that a scene is known by; undefined for any other message, which is simply answered. */
export const sceneOf = (messageId: string): string | undefined =>
  Object.keys(SCENES)
    .filter((prefix) => messageId.startsWith(prefix))
    .sort((one, other) => other.length - one.length)[0];

export const process: ProcessFunc = (turn) => SCENES[sceneOf(turn.message.messageId) ?? '']?.(turn) ?? 'Hello from TCK';

/** Some messages are answered with a message. */
export const reply: AgentOptions['reply'] = ({ messageId }) =>
  messageId.startsWith('tck-message-response') ? 'Direct message response' : undefined;
