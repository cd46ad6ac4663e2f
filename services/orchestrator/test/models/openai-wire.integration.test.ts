import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createModels, type ModelMessage, type ModelOutcome, type ModelRequest } from '../../src/models/index.ts';
import { createOpenai } from '../../src/models/openai.ts';
import { dialects } from '../../src/models/openai-dialects.ts';
import { answerOf, ask, environmentOf, impatientClock, KEYS, NEVER, resultsFor } from './fixture.ts';
import { sse } from './raw-server.ts';

// Chat completions as a server of our own writes them, byte by byte, read through the real SDK.

type Answer = (response: ServerResponse, request: IncomingMessage, number: number) => void | Promise<void>;

const TIMEOUT_MS = 15_000;
let answer: Answer;
let requests: { headers: IncomingMessage['headers']; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  requests.push({ headers: request.headers, body });
  await answer(response, request, requests.length);
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  requests = [];
  vi.unstubAllEnvs();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function generate(
  given: Answer,
  request: ModelRequest = ask('openai:x', 'hi'),
  options: { signal?: AbortSignal; onDelta?: (text: string) => void } = {},
): Promise<{ outcome: ModelOutcome; waits: readonly number[] }> {
  answer = given;
  const { clock, waits } = impatientClock();
  const models = createModels({ env: environmentOf(url), clock, modelTimeoutMs: TIMEOUT_MS });
  return { outcome: await models.forModel(request.model).generate(request, { signal: NEVER, ...options }), waits };
}

const chunk = (delta: object, reason: string | null = null) =>
  sse({ choices: [{ index: 0, delta, finish_reason: reason }] });
const streamed: Record<string, string> = { 'content-type': 'text/event-stream' };

test('a stream may be cut between any two bytes', async () => {
  const call = (index: number, text: string) => ({
    tool_calls: [
      { index, ...(text === '' ? { id: `c${index}` } : {}), function: { name: 'resources_list', arguments: text } },
    ],
  });
  const body = Buffer.from(
    `: a comment\r\n\r\n${chunk({ role: 'assistant', content: 'Grüße, ' })}${chunk({ content: '世界 🌍' })}${[0, 1]
      .flatMap((index) => ['', '{"pat', 'tern": "ü', '"}'].map((text) => chunk(call(index, text))))
      .join(
        '',
      )}${chunk({}, 'tool_calls')}${sse({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 5 } })}data: [DONE]\n\n`,
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: body.length - 1 }), { maxLength: 12 }), async (at) => {
      const places = [0, ...at.toSorted((one, other) => one - other), body.length];
      const deltas: string[] = [];
      const { outcome } = await generate(
        async (response) => {
          response.writeHead(200, streamed);
          for (const [index, from] of places.slice(0, -1).entries())
            await new Promise((written) => response.write(body.subarray(from, places[index + 1]), written));
          response.end();
        },
        undefined,
        { onDelta: (text) => deltas.push(text) },
      );
      expect(answerOf(outcome)).toMatchObject({
        text: 'Grüße, 世界 🌍',
        calls: [0, 1].map((index) => ({ providerCallId: `c${index}`, argumentsJson: '{"pattern": "ü"}' })),
        usage: { inputTokens: 4, outputTokens: 5 },
        stopReason: 'tool_calls',
      });
      expect(deltas.join('')).toBe('Grüße, 世界 🌍');
    }),
    { numRuns: 40 },
  );
});

test('an answer of megabytes is read whole', async () => {
  const piece = 'All work and no play. '.repeat(50);
  const times = 2_000;
  const { outcome } = await generate((response) => {
    response.writeHead(200, streamed);
    for (let time = 0; time < times; time += 1) response.write(chunk({ content: piece }));
    response.write(
      chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'resources_list', arguments: '{"a":"' } }] }),
    );
    for (let time = 0; time < times; time += 1)
      response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }));
    response.end(chunk({}, 'tool_calls'));
  });
  const { text, calls } = answerOf(outcome);
  expect(text === piece.repeat(times)).toBe(true);
  expect(calls[0]?.argumentsJson === `{"a":"${piece.repeat(times)}"}`).toBe(true);
});

test.each<[string, number, string, string]>([
  ['OpenAI', 400, '{"error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}}', 'bad'],
  [
    'Mistral',
    400,
    '{"object":"error","message":"Unexpected role","type":"invalid_request_message_order","code":"3230"}',
    'Unexpected role',
  ],
  [
    'Mistral, with details',
    422,
    '{"object":"error","message":{"detail":[{"msg":"Extra inputs"}]}}',
    '{"detail":[{"msg":"Extra inputs"}]}',
  ],
  ['Mistral, with details only', 422, '{"detail":[{"msg":"Field required"}]}', '[{"msg":"Field required"}]'],
  [
    'OpenRouter',
    400,
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"too long\\"}}"}}}',
    'Provider returned error: too long',
  ],
  ['Ollama', 404, '{"error":"model \\"x\\" not found"}', 'model "x" not found'],
  ['a proxy', 403, 'no entry', 'no entry'],
  ['nobody', 401, '', 'HTTP 401'],
  ['someone strange', 400, '[1]', '[1]'],
])('the error of %s is told in its own words', async (_, status, body, words) => {
  const { outcome } = await generate((response) => void response.writeHead(status).end(body));
  expect(outcome).toMatchObject({ kind: 'failed', message: `openai API error (${status}): ${words}` });
  expect(requests).toHaveLength(1);
});

test('of an error without end only the beginning is read, and shown without the key', async () => {
  const { outcome } = await generate((response) => {
    response.writeHead(400);
    const go = () => void response.write(`${KEYS.openai} `.repeat(1000), (error) => (error ? undefined : go()));
    go();
  });
  const message = outcome.kind === 'failed' ? outcome.message : '';
  expect(message).toMatch(/^openai API error \(400\): \[redacted\] /);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  expect(message).not.toMatch(/secret|K3y/);
});

test('a redirect is no answer: the key goes nowhere else', async () => {
  const { outcome } = await generate((response) => void response.writeHead(307, { location: `${url}/other` }).end());
  expect(outcome).toEqual({ kind: 'failed', message: 'openai API error (307): HTTP 307' });
  expect(requests).toHaveLength(1);
});

test.each([
  [{ 'retry-after': '3' }, 3500],
  [{ 'retry-after-ms': '200', 'retry-after': '1' }, 700],
])('the wait that is asked for in %j is kept', async (headers, wait) => {
  const { outcome, waits } = await generate((response, _, number) => {
    if (number === 1) response.writeHead(429, headers).end('{}');
    else response.writeHead(200, streamed).end(chunk({ content: 'ok' }, 'stop'));
  });
  expect(answerOf(outcome).text).toBe('ok');
  expect(waits).toEqual([wait]);
});

test.each([
  [408, 1],
  [409, 1],
  [422, 1],
  [429, 3],
  [500, 3],
  [503, 3],
])('status %i means %i requests', async (status, times) => {
  await generate((response) => void response.writeHead(status, { 'x-should-retry': 'true' }).end('{}'));
  expect(requests).toHaveLength(times);
});

test('a stream that is cut before its end is asked for again; one that is cut after its end is an answer', async () => {
  const cut = (response: ServerResponse, text: string) =>
    void response.writeHead(200, streamed).write(text, () => response.socket?.resetAndDestroy());
  const { outcome } = await generate((response, _, number) =>
    number === 1
      ? cut(response, 'data: {"cho')
      : void response.writeHead(200, streamed).end(chunk({ content: 'ok' }, 'stop')),
  );
  expect(answerOf(outcome).text).toBe('ok');
  expect(requests).toHaveLength(2);
  requests = [];
  const over = await generate(
    (response) => void response.writeHead(200, streamed).end(chunk({ content: 'ok' }, 'stop')),
  );
  expect(answerOf(over.outcome)).toMatchObject({ text: 'ok', usage: { inputTokens: 0, outputTokens: 0 } });
  expect(requests).toHaveLength(1);
});

test('an abort in the middle of the answer rejects with its reason, closes the connection, and nothing more is shown', async () => {
  const reason = new Error('enough');
  const abort = new AbortController();
  const deltas: string[] = [];
  let closed = (): void => undefined;
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const running = generate(
    (response) => {
      response.on('close', closed);
      response.writeHead(200, streamed).write(chunk({ content: 'begun' }));
    },
    undefined,
    {
      signal: abort.signal,
      onDelta: (text) => {
        deltas.push(text);
        abort.abort(reason);
      },
    },
  );
  await expect(running).rejects.toBe(reason);
  await isClosed;
  expect(deltas).toEqual(['begun']);
});

test('a connection that times out is tried again', async () => {
  const timedOut = Object.assign(new Error('connect ETIMEDOUT 192.0.2.1:443'), { code: 'ETIMEDOUT' });
  let calls = 0;
  const port = createOpenai(dialects.openai, {
    apiKey: 'k',
    baseUrl: 'http://192.0.2.1/v1',
    origin: 'live',
    timeoutMs: TIMEOUT_MS,
    clock: impatientClock().clock,
    fetch: async () => {
      calls += 1;
      if (calls < 3) throw new TypeError('fetch failed', { cause: timedOut });
      return new Response(chunk({ content: 'ok' }, 'stop'), { headers: streamed });
    },
    redact: (text) => text,
  });
  expect(answerOf(await port.generate(ask('x', 'hi'), { signal: NEVER })).text).toBe('ok');
  expect(calls).toBe(3);
});

test('nothing of the environment but key and address goes out', async () => {
  for (const name of ['ORG_ID', 'PROJECT_ID', 'ADMIN_KEY', 'WEBHOOK_SECRET']) vi.stubEnv(`OPENAI_${name}`, 'not-ours');
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-custom: not-ours\nauthorization: not-ours');
  await generate((response) => void response.writeHead(400).end(), ask('groq:x', 'hi'));
  const [{ headers } = { headers: {} }] = requests;
  expect(JSON.stringify(headers)).not.toContain('not-ours');
  expect(headers).toMatchObject({ authorization: `Bearer ${KEYS.groq}`, 'content-type': 'application/json' });
});

test('no role but "tool" follows itself, and nobody speaks right after results', async () => {
  const said = (text: string, ...ids: string[]): Extract<ModelMessage, { role: 'assistant' }> => ({
    role: 'assistant',
    text,
    calls: ids.map((id) => ({ callId: id, providerCallId: id, name: 'resources_list', argumentsJson: '{}' })),
    provider: 'openai',
  });
  const asking = said('c', 'one', 'two');
  const results = resultsFor(asking, (index) => `result ${index}`);
  const request = ask('openai:x', 'a', 'b', said('first'), asking, results, 'd', 'e');
  await generate((response) => void response.writeHead(400).end(), request);
  const call = (id: string) => ({ id, type: 'function', function: { name: 'resources_list', arguments: '{}' } });
  expect(JSON.parse(requests[0]?.body ?? '').messages).toEqual([
    { role: 'system', content: 'You are a test.' },
    { role: 'user', content: 'a\n\nb' },
    { role: 'assistant', content: 'first\n\nc', tool_calls: [call('one'), call('two')] },
    { role: 'tool', tool_call_id: 'one', content: 'result 0' },
    { role: 'tool', tool_call_id: 'two', content: 'result 1' },
    { role: 'assistant', content: 'I was stopped before I could answer.' },
    { role: 'user', content: 'd\n\ne' },
  ]);
});
