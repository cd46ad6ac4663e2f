import type { IncomingMessage, ServerResponse } from 'node:http';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, httpServer, startBridge } from './support/bridge.ts';
import { json, listen } from './support/http.ts';

const form = { type: 'object', properties: { amount: { type: 'integer' } } };
const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'How many?', requestedSchema: form },
};
const tools = [
  { name: 'pay', inputSchema: { type: 'object' } },
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

/** A server of protocol 2026-07-28 whose tools ask first; what becomes of the answer is the test's. */
async function askingServer(onAnswer: (response: ServerResponse) => void) {
  let rounds = 0;
  const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
    // Each request has a connection of its own: none is left over that could break later.
    response.setHeader('connection', 'close');
    if (body === '') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Record<string, unknown> };
    const give = (result: object) =>
      json(response, {
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result },
      });
    switch (method) {
      case 'server/discover': {
        const serverInfo = { name: 'asking', version: '1' };
        return give({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo });
      }
      case 'tools/list':
        return give({ tools });
      case 'tools/call':
        rounds += 1;
        if (params.inputResponses !== undefined) return onAnswer(response);
        return give({ resultType: 'input_required', requestState: 'begun', inputRequests: { amount: question } });
      default:
        return void response.writeHead(404).end(request.url);
    }
  };
  const http = await listen((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => answer(request, response, body));
  });
  return { ...http, rounds: () => rounds };
}

/** What becomes of a call whose question is answered, after something has happened. */
async function afterAnswer(server: Awaited<ReturnType<typeof askingServer>>, tool: string, before: () => unknown) {
  const questions = { form: true, url: false, timeoutMs: 60_000 };
  const config = httpServer('asking', server.url, { era: 'modern', questions });
  const { execute, client, instance, keyOf } = await startBridge([config], { bounds: { repeatWaitMs: 10 } });
  const key = keyOf('one');
  const asking = await execute(tool, {}, { call: 'one' });
  if (asking.case !== 'asking') throw new Error(`nothing is asked: ${asking.case}`);
  await before();
  const questionId = asking.value.questions[0]?.id ?? '';
  await client.answerCall({ key, instance, questionId, action: 1, contentJson: '{"amount":3}' });
  return eventually(async () => {
    const { state } = await client.fenceCall({ key, instance });
    return state.case === 'outcome' ? state.value.outcome : undefined;
  }, 'the call is over');
}

test('a call that its server had begun is in doubt if it wants other credentials for the answer', async () => {
  const server = await askingServer((response) => response.writeHead(401).end());
  expect(await afterAnswer(server, 'pay', () => undefined)).toMatchObject({
    case: 'unknown',
    value: { message: expect.stringMatching(/began the call, and then wanted other credentials.*is not known$/) },
  });
  expect(server.rounds()).toBe(2);
});

test('a call that its server had begun is in doubt if it is not there for the answer', async () => {
  const server = await askingServer(() => undefined);
  expect(await afterAnswer(server, 'pay', server.close)).toMatchObject({
    case: 'unknown',
    value: { message: expect.stringMatching(/was lost in the midst of the call \(no connection to .*is not known$/) },
  });
});

test.each([
  [307, { location: 'http://127.0.0.1:9/' }, /was not told what it had asked for \(.*redirect.*is not known$/],
  [429, {}, /answered HTTP 429 to what it had asked for.*is not known$/],
  [503, {}, /answered HTTP 503.*is not known$/],
])('a call that its server had begun is in doubt if the answer comes to HTTP %i', async (status, headers, message) => {
  const server = await askingServer((response) => response.writeHead(status, headers).end());
  expect(await afterAnswer(server, 'pay', () => undefined)).toMatchObject({
    case: 'unknown',
    value: { message: expect.stringMatching(message) },
  });
  expect(server.rounds()).toBe(2);
});

test('one that is safe to repeat waits for the credentials, and is made anew with them', async () => {
  const server = await askingServer((response) => response.writeHead(401).end());
  expect(await afterAnswer(server, 'look', () => undefined)).toMatchObject({
    case: 'refused',
    value: { reason: mcp.RefusedReason.UNAUTHENTICATED },
  });
});
