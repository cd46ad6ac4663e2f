import type { Json } from '@stopgo/core';
import { isDecisionData } from '../decision.ts';
import { isInputData } from '../input-message.ts';
import { ContentTypeNotSupportedError, type Message, RequestMalformedError } from '../protocol.ts';
import { soundJson } from './sound-json.ts';

/** What an agent takes of messages. */
export type TextRules = {
  /** Bytes of what is said to it. */
  readonly messageBytesMax: number;
  /** True: a message to a task may hold a file, as the answer to a question. Absent: no message may. */
  readonly takesFiles?: boolean;
};

/**
 * What a message says to the agent: its texts, and its data as JSON. What decides on an approval of its task, or answers a question of it,
 * is no part of that; a message without a task does neither.
 *
 * @throws A2AError for a message without content, with files that are not taken, with data that is no JSON, or that is too long.
 */
export function textForAgent({ parts, taskId }: Message, { messageBytesMax, takesFiles = false }: TextRules): string {
  if (parts.length === 0) throw new RequestMalformedError('message.parts must hold at least one part');
  const texts = parts.flatMap(({ content }) => {
    switch (content?.$case) {
      case 'text':
        return [content.value];
      case 'data':
        return taskId !== '' && (isDecisionData(content.value) || isInputData(content.value))
          ? []
          : [soundData(content.value)];
      case undefined:
        throw new RequestMalformedError('a part must hold text or data');
      case 'url':
        throw new ContentTypeNotSupportedError(takesFiles ? notFetched : noFiles);
      default:
        if (!takesFiles || taskId === '') throw new ContentTypeNotSupportedError(takesFiles ? onlyAnswers : noFiles);
        return [];
    }
  });
  const text = texts.filter((one) => one.trim() !== '').join('\n');
  if (Buffer.byteLength(text) > messageBytesMax) {
    throw new RequestMalformedError(`the message is larger than ${messageBytesMax} bytes; send less`);
  }
  return text;
}

const noFiles = 'this agent reads text and data, no files; send the content as text';
const onlyAnswers = 'this agent takes files only as answers to what its tasks ask for; send the content as text';
const notFetched =
  'this agent fetches no files from addresses; put the bytes into the part (raw; in 0.3 file.bytes), or send the content as text';

/** Its members stay in the order in which they were sent. */
function soundData(value: unknown): string {
  soundJson(value as Json);
  return JSON.stringify(value);
}
