import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resumeOf } from '../src/decide/control.ts';

/** What `stopgo resume` asks of a gateway that only writes it down, and what it prints. */
const sentence = 'The agent thrifty has used 1,200 of 1,000 tokens.';
let server: Server;
let url: string;
let asked: unknown[];
let lines: string[];

beforeEach(async () => {
  [asked, lines] = [[], []];
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    asked.push([req.url, JSON.parse(body)]);
    res.end(JSON.stringify({ result: { response: sentence } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise<unknown>((resolve) => server.close(resolve)));

const resume = (limits: Parameters<typeof resumeOf>[2]) => resumeOf(url, 'ID', limits, (line) => lines.push(line));

test('a resume tells how much the agent may use, under the names of the API, and prints what the run comes to', async () => {
  await resume({ 'max-tokens': '50000', 'max-cost': '2.50', 'max-agent-calls': '7' });
  await resume({ by: 'ada' });
  expect(asked).toEqual([
    ['/runs/ID/resume', { limits: { max_tokens: 50_000, max_cost: 2.5, max_agent_calls: 7 } }],
    ['/runs/ID/resume', {}],
  ]);
  expect(lines).toEqual([sentence, sentence]);
});

test('what is no number is refused before anybody is asked', async () => {
  for (const [limits, error] of [
    [{ 'max-tokens': 'many' }, '--max-tokens takes a number, such as 50000'],
    [{ 'max-cost': '$2' }, '--max-cost takes a number, such as 2.50'],
    [{ 'max-agent-calls': '-1' }, '--max-agent-calls takes a number'],
    [{ 'max-tokens': '' }, '--max-tokens takes a number'],
  ] as const)
    await expect(resume(limits)).rejects.toThrow(error);
  expect(asked).toEqual([]);
});
