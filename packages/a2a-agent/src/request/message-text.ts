import type { Json } from '@stopgo/core';
import { isDecisionData } from '../decision.ts';
import { isInputData } from '../input-message.ts';
import { ContentTypeNotSupportedError, type Message, RequestMalformedError } from '../protocol.ts';
import { soundJson } from './sound-json.ts';

/**
 * What a message says to the agent: its texts, and its data as JSON. What decides on an approval of its task is no part of
 * that; a message without a task decides nothing.
 *
 * @throws A2AError for a message without content, with files, with data that is no JSON, or of more than `bytesMax` bytes.
 */
export function textForAgent({ parts, taskId }: Message, bytesMax: number): string {
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
      default:
        throw new ContentTypeNotSupportedError('this agent reads text and data, no files; send the content as text');
    }
  });
  const text = texts.filter((one) => one.trim() !== '').join('\n');
  if (Buffer.byteLength(text) > bytesMax) {
    throw new RequestMalformedError(`the message is larger than ${bytesMax} bytes; send less`);
  }
  return text;
}

/** Its members stay in the order in which they were sent. */
function soundData(value: unknown): string {
  soundJson(value as Json);
  return JSON.stringify(value);
}
