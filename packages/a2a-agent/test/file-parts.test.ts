import { describe, expect, test } from 'vitest';
import { problemOf03 } from '../src/params-0-3.ts';
import { problemOf10 } from '../src/params-1-0.ts';
import { readRestSend } from '../src/rest.ts';

const message = { messageId: 'm', role: 'ROLE_USER' };
/** What is wrong with a file, as each dialect over JSON sends it. */
const problems = (bytes: unknown, name: unknown = 'a.csv') => {
  const modern = { ...message, parts: [{ text: 'Here.' }, { raw: bytes, filename: name, mediaType: 'text/csv' }] };
  const file = { kind: 'file', file: { bytes, name, mimeType: 'text/csv' } };
  const aged = { ...message, role: 'user', parts: [{ kind: 'text', text: 'Here.' }, file] };
  const content = [{ text: 'Here.' }, { file: { fileWithBytes: bytes, name, mimeType: 'text/csv' } }];
  const thrown = (read: () => unknown) => {
    try {
      read();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return {
    '1.0': problemOf10('SendMessage', { message: modern }),
    '0.3': problemOf03('message/send', { message: aged }),
    'HTTP 1.0': thrown(() => readRestSend('1.0', { message: modern })),
    'HTTP 0.3': thrown(() => readRestSend('0.3', { message: { ...message, content } })),
  };
};
const none = { '1.0': undefined, '0.3': undefined, 'HTTP 1.0': undefined, 'HTTP 0.3': undefined };

describe('bytes in a part', () => {
  test.each(['aXRlbQ==', 'aXRlbQ', '_-_-', '+/+/', ''])('are base64 in either alphabet: %j', (bytes) => {
    expect(problems(bytes)).toEqual(none);
  });

  test.each(['a*b=', 'aXRl bQ==', 'a', 'aXRlb', 'aXRlbQ===', 7, ['aXRlbQ=='], {}])('are nothing else: %j', (bytes) => {
    const problem = 'message.parts[1].raw must be bytes in base64';
    const aged = 'message.parts[1].file.bytes must be bytes in base64';
    expect(problems(bytes)).toEqual({ '1.0': problem, '0.3': aged, 'HTTP 1.0': problem, 'HTTP 0.3': problem });
  });

  test('have a name that is a text', () => {
    const problem = 'message.parts[1].filename must be a text';
    const aged = 'message.parts[1].file.name must be a text';
    expect(problems('aXRlbQ==', { toString: 1 })).toEqual({
      ...{ '1.0': problem, '0.3': aged, 'HTTP 1.0': problem, 'HTTP 0.3': problem },
    });
  });
});
