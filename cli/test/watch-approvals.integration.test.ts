import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchApprovals } from '../src/decide/watch-approvals.ts';

/** What somebody sees who watches approvals, against a gateway that breaks off. */
const approval = {
  ...{ uuid: 'u-1', conversation_id: 'c-1', tool_name: 'pay', server: 'bank', status: 'pending', choices: [] },
  ...{ description: 'pays', created_at: '2026-01-15T10:29:00.000Z', tool_args: {} },
};
const time = '2026-01-15T10:30:00.000Z';
const ana = { kind: 'approver', id: 'ana', claimed: true };
const sent = (id: number, change: string, more: object = {}, actor: object = ana) =>
  `id: ${id}\nevent: ${change}\ndata: ${JSON.stringify({ change, time, actor, approval: { ...approval, ...more } })}\n\n`;

let server: Server;
let url: string;
let connections: ((res: ServerResponse) => void)[];
let lastIds: (string | undefined)[];
let lines: string[];
let warnings: string[];
let leaving: AbortController;

beforeEach(async () => {
  [connections, lastIds, lines, warnings, leaving] = [[], [], [], [], new AbortController()];
  server = createServer((req: IncomingMessage, res) => {
    if (req.url !== '/approvals/events') return void res.end(JSON.stringify({ approvals: [approval] }));
    lastIds.push(req.headers['last-event-id'] as string | undefined);
    const connect = connections.shift();
    if (connect !== undefined) return connect(res);
    leaving.abort();
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const streams = (text: string) => (res: ServerResponse) => {
  res.setHeader('content-type', 'text/event-stream; charset=utf-8');
  res.end(text);
};
const refuses = (status: number, error: string) => (res: ServerResponse) => {
  res.statusCode = status;
  res.end(JSON.stringify({ error }));
};
const watching = () =>
  watchApprovals(url, {
    print: (line) => void lines.push(line),
    warn: (line) => void warnings.push(line),
    signal: leaving.signal,
    pauseMs: 1,
  });

test('what waits is a line, and so is each change; it goes on after the last place, whoever that was told of', async () => {
  const assignee = { name: 'bob', claimed: false, assigned_by: { name: 'ana', claimed: true } };
  connections = [
    streams('retry: 1000\n\nid: 3\n\n: heartbeat\n\n'),
    refuses(503, 'the store is away'),
    streams(
      `id: 3\n\n${sent(4, 'asked', {}, { kind: 'system', id: 'orchestrator-1' })}${sent(5, 'voted', { votes: [{}], votes_needed: 2 })}id: 9\n\n`,
    ),
    streams(sent(12, 'assigned', { assignee }) + sent(13, 'assigned') + sent(14, 'settled', { status: 'rejected' })),
  ];
  await watching();
  const what = 'u-1  pay of bank  conversation c-1';
  expect(lines).toEqual([
    `2026-01-15T10:29:00.000Z  waits  ${what}`,
    `${time}  asked  ${what}`,
    `${time}  voted by ana (claimed), 1 of 2  ${what}`,
    `${time}  assigned to bob by ana (claimed)  ${what}`,
    `${time}  assigned to nobody by ana (claimed)  ${what}`,
    `${time}  rejected by ana (claimed)  ${what}`,
  ]);
  expect(lastIds).toEqual([undefined, '3', '3', '9', '14']);
  expect(warnings).toEqual(Array(3).fill(expect.stringMatching(/^not connected: the connection was closed; /)));
});

test('it ends with what is refused for good, and if there is nobody at first', async () => {
  connections = [streams('id: 3\n\n'), refuses(401, 'sign in first')];
  await expect(watching()).rejects.toThrow('sign in first; commands send the API key in STOPGO_API_KEY');
  connections = [refuses(503, 'the store is away')];
  await expect(watching()).rejects.toThrow('the store is away');
  await expect(
    watchApprovals('http://127.0.0.1:1', {
      print: () => undefined,
      warn: () => undefined,
      signal: leaving.signal,
      pauseMs: 1,
    }),
  ).rejects.toThrow('no answer from http://127.0.0.1:1');
});
