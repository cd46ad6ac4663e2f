import { randomBytes } from 'node:crypto';
import type { JsonObject } from './json.ts';
import { callSignature } from './signatures.ts';
import { type Answer, chunksOf, outputTokens, type Turn, tokensOf } from './turn.ts';

// What Gemini's generateContent and streamGenerateContent answer.

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An answer as the body of a plain response. */
export function geminiResponse(turn: Turn, answer: Answer): JsonObject {
  return frame(turn, answer, [...textParts(answer, [answer.text]), ...callParts(answer)], true);
}

/** An answer as the chunks of a streamed response: the text in pieces, then the calls, then the end with the usage. */
export function geminiChunks(turn: Turn, answer: Answer): JsonObject[] {
  const parts = textParts(answer, chunksOf(answer.text));
  const chunks = parts.map((part) => frame(turn, answer, [part], false));
  const calls = callParts(answer);
  return [...chunks, frame(turn, answer, calls.length > 0 ? calls : [{ text: '' }], true)];
}

function textParts(answer: Answer, texts: readonly string[]): JsonObject[] {
  const thoughts = answer.thinking === undefined ? [] : [{ text: answer.thinking, thought: true }];
  return [...thoughts, ...texts.filter((text) => text !== '').map((text) => ({ text }))];
}

function callParts(answer: Answer): JsonObject[] {
  // Of parallel calls only the first carries a signature, as with the real models.
  return answer.calls.map((call, index) => ({
    functionCall: {
      ...(answer.withoutIds ? {} : { id: `call_${randomBytes(9).toString('hex')}` }),
      name: call.name,
      args: call.args,
    },
    ...(index === 0 ? { thoughtSignature: callSignature(call) } : {}),
  }));
}

function frame(turn: Turn, answer: Answer, parts: readonly JsonObject[], last: boolean): JsonObject {
  const promptTokenCount = tokensOf(turn.inputCharacters);
  const candidatesTokenCount = outputTokens(answer);
  return {
    candidates: [{ content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}), index: 0 }],
    usageMetadata: last
      ? { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount }
      : { promptTokenCount, totalTokenCount: promptTokenCount },
    modelVersion: turn.model,
    responseId: 'offline',
  };
}

/** An error as Gemini words it. */
export function geminiError(status: number, message: string): JsonObject {
  return { error: { code: status, message, status: statusNames[status] ?? 'UNKNOWN' } };
}

/** One server-sent event of a stream; Gemini ends them with CRLF. */
export function geminiEvent(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}
