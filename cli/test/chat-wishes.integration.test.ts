import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { chat } from '../src/chat/chat.ts';
import { linesOf } from './asked.ts';

const id = '01890000-0000-7000-8000-000000000001';

/** A gateway whose runs end at once, and the bodies that it was sent. */
async function gateway() {
  const bodies: unknown[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    if (req.method === 'POST') bodies.push(JSON.parse(body));
    if (req.url?.includes('/events')) return res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const conversation = { id, title: '', message_count: 1, pending_approvals: [], run: { status: 'completed' } };
    res.writeHead(200, { 'content-type': 'application/json' });
    return res.end(JSON.stringify({ conversation: { ...conversation, revision: 0 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

test('the agent is of the first message, and how deep agents may call of each', async () => {
  const { url, bodies } = await gateway();
  const said = ['hi', 'there'];
  const lines = linesOf(true, async () => said.shift(), new AbortController().signal);
  const options = { agent: 'support/tier1', maxCallDepth: 2, commandLine: (words: string) => words };
  await chat(url, options, lines, () => undefined);
  expect(bodies).toEqual([
    { agent: 'support/tier1', message: 'hi', max_call_depth: 2 },
    { message: 'there', max_call_depth: 2 },
  ]);
});
