import { expect, test } from 'vitest';
import { finishedOf, httpServer, startBridge } from './support/bridge.ts';
import { json, legacyServer, textResult } from './support/http.ts';

test('an answer larger than the bound is an error, however it is sent', async () => {
  let stream = false;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      const body = JSON.stringify(textResult(id, 'x'.repeat(200_000)));
      if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`);
      else json(response, JSON.parse(body));
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)], {
    bounds: { messageBytesMax: 100_000, streamResumeMs: 50 },
  });
  for (stream of [false, true]) {
    expect(finishedOf(await execute('pay', {}))).toMatchObject({
      isError: true,
      content:
        'Tool execution failed: the call ran, and the result of the server "l" is too large: it has more than 100000 bytes',
    });
  }
});

test('an answer with more JSON values than the bound is an error, however it is sent and cut', async () => {
  let stream = false;
  const server = await legacyServer({
    onCall: async (_request, response, { id }) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [], structuredContent: { list: Array(2_000).fill(1) } },
      });
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      for (const part of (stream ? `data: ${body}\n\n` : body).match(/.{1,500}|\n+/g) ?? [])
        await new Promise((written) => response.write(part, written));
      response.end();
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)], {
    bounds: { messageValuesMax: 1_000, streamResumeMs: 50 },
  });
  for (stream of [false, true]) {
    expect(finishedOf(await execute('pay', {}))).toMatchObject({
      isError: true,
      content:
        'Tool execution failed: the call ran, and the result of the server "l" is too large: it has more than 1000 JSON values',
    });
  }
});
