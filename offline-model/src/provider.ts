import type { IncomingHttpHeaders } from 'node:http';
import { readAnthropicRequest } from './anthropic-request.ts';
import { anthropicError, anthropicEvent, anthropicEvents, anthropicResponse } from './anthropic-response.ts';
import { readGeminiRequest } from './gemini-request.ts';
import { geminiChunks, geminiError, geminiEvent, geminiResponse } from './gemini-response.ts';
import { isObject, type JsonObject } from './json.ts';
import { readOpenaiRequest } from './openai-request.ts';
import { openaiChunks, openaiError, openaiEvents, openaiResponse } from './openai-response.ts';
import { Refusal } from './refusal.ts';
import type { Answer, Turn } from './turn.ts';

/** What the server needs of a provider's wire format. */
export type Provider = {
  /** Throws a `Refusal` if the request carries no API key (any key will do) or lacks a required header. */
  authenticate(headers: IncomingHttpHeaders, url: URL): void;
  /** Reads a body; throws a `Refusal` for what the real service refuses. */
  read(body: unknown, strictSignatures: boolean): Turn;
  /** Whether this request wants its answer as a stream. */
  streamed(body: unknown): boolean;
  plain(turn: Turn, answer: Answer): JsonObject;
  /** The framed events of a stream, in order, and what stands before, between and after them. */
  events(turn: Turn, answer: Answer): { readonly events: readonly string[]; readonly contentType: string };
  error(status: number, message: string): JsonObject;
};

/** The provider whose route this is. */
export function routeOf(method: string | undefined, url: URL): Provider | undefined {
  if (method !== 'POST') return undefined;
  if (url.pathname === '/v1/messages') return anthropic;
  // Whatever stands before: some providers have it at /openai/v1, some at /api/v1.
  if (url.pathname.endsWith('/chat/completions')) return openai;
  const match = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(url.pathname);
  if (!match) return undefined;
  return gemini(
    decodeURIComponent(match[1] ?? ''),
    match[2] === 'streamGenerateContent',
    url.searchParams.get('alt') === 'sse',
  );
}

const anthropic: Provider = {
  authenticate: (headers) => {
    if (!headers['x-api-key'] && !headers.authorization) throw new Refusal(401, 'x-api-key header is required');
    if (!headers['anthropic-version']) throw new Refusal(400, 'anthropic-version: header is required');
  },
  read: readAnthropicRequest,
  streamed: (body) => isObject(body) && body.stream === true,
  plain: anthropicResponse,
  events: (turn, answer) => ({
    events: anthropicEvents(turn, answer).map(anthropicEvent),
    contentType: 'text/event-stream; charset=utf-8',
  }),
  error: anthropicError,
};

const openai: Provider = {
  authenticate: ({ authorization }) => {
    if (!/^Bearer ./.test(authorization ?? ''))
      throw new Refusal(401, 'You need to provide your API key in an Authorization header using Bearer auth.');
  },
  read: readOpenaiRequest,
  streamed: (body) => isObject(body) && body.stream === true,
  plain: openaiResponse,
  events: (turn, answer) => ({
    events: openaiEvents(openaiChunks(turn, answer)),
    contentType: 'text/event-stream; charset=utf-8',
  }),
  error: openaiError,
};

function gemini(model: string, streamed: boolean, sse: boolean): Provider {
  return {
    authenticate: (headers, url) => {
      if (headers['x-goog-api-key'] || url.searchParams.get('key')) return;
      throw new Refusal(403, 'Requests need an API key: send the header x-goog-api-key.');
    },
    read: (body, strictSignatures) => readGeminiRequest(body, model, strictSignatures),
    streamed: () => streamed,
    plain: geminiResponse,
    events: (turn, answer) => {
      const chunks = geminiChunks(turn, answer);
      if (sse) return { events: chunks.map(geminiEvent), contentType: 'text/event-stream' };
      // Without alt=sse the stream is one JSON array whose elements arrive one by one.
      const pieces = chunks.map((chunk, index) => `${index === 0 ? '[' : ','}${JSON.stringify(chunk)}`);
      return { events: [...pieces, ']'], contentType: 'application/json' };
    },
    error: geminiError,
  };
}
