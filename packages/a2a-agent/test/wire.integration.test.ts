import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Agent, type AgentOptions, MemoryTaskStore, startAgent, type Task } from '../src/agent/index.ts';

let agent: Agent;
afterEach(() => agent.stop());

const start = async (options: Partial<AgentOptions> = {}): Promise<void> => {
  agent = await startAgent({ name: 'small', description: 'Says it.', process: ({ text }) => text, ...options });
};

const message = {
  kind: 'message',
  messageId: 'm',
  role: 'user',
  parts: [{ kind: 'text', text: 'hi' }],
  contextId: 'c',
};
const envelope = (method: unknown, params: unknown, id: unknown = 'abc') => ({ jsonrpc: '2.0', id, method, params });

async function post(path: string, body: unknown) {
  const response = await fetch(agent.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Answer };
}

type Answer = {
  readonly id?: unknown;
  readonly result?: { readonly id: string; readonly status: { readonly state: string } };
  readonly error?: { readonly code: number; readonly message: string };
};

test('the card is at both well-known paths, and is the one that the agent itself shows', async () => {
  await start();
  for (const name of ['agent-card.json', 'agent.json']) {
    const card = (await (await fetch(`${agent.address}/.well-known/${name}`)).json()) as { readonly url: string };
    expect(card).toMatchObject({ name: 'small', description: 'Says it.', url: `${agent.address}/a2a/v1` });
    expect(card).toMatchObject({
      supportedInterfaces: [...agent.card.supportedInterfaces.map(({ url }) => ({ url }))],
    });
  }
});

test.each(['/a2a', '/a2a/v1', '/', '/message:send'])(
  'envelopes at %s are answered under their own id',
  async (path) => {
    await start();
    for (const id of ['abc', '', 7, 0]) {
      const { status, json } = await post(path, envelope('message/send', { message }, id));
      expect([status, json]).toMatchObject([200, { jsonrpc: '2.0', id, result: { status: { state: 'completed' } } }]);
      const got = await post(path, envelope('tasks/get', { id: json.result?.id }, id));
      expect(got.json).toMatchObject({ id, result: { id: json.result?.id } });
    }
  },
);

const BAD = [
  ['half of an envelope', '{"jsonrpc":"2.0","method":', -32700, null],
  ['no method', { jsonrpc: '2.0', id: 7 }, -32600, 7],
  ['another protocol', { ...envelope('message/send', {}), jsonrpc: '1.0' }, -32600, 'abc'],
  ['a method that nobody has', envelope('no/such', {}), -32601, 'abc'],
  ['params without a message', envelope('message/send', {}), -32602, 'abc'],
  ['a task that nobody has', envelope('tasks/get', { id: 'x' }), -32001, 'abc'],
] as const;

test.each(BAD)('%s has its code, over JSON-RPC and in an envelope at /message:send', async (_what, body, code, id) => {
  await start();
  for (const path of ['/a2a/v1', '/message:send']) {
    const { status, json } = await post(path, body);
    expect(json).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } });
    expect(status).toBe(path === '/message:send' && code === -32700 ? 400 : 200);
  }
});

test('a task that has ended, and a fault of the agent itself, have their codes', async () => {
  class Breaking extends MemoryTaskStore {
    override get(id: string): Task {
      if (id === 'broken') throw new Error('the key is sk-secret');
      return super.get(id);
    }
  }
  await start({ store: new Breaking(), onError: () => undefined });
  const { json } = await post('/a2a/v1', envelope('message/send', { message }));
  const ended = await post('/a2a/v1', envelope('tasks/cancel', { id: json.result?.id }));
  expect(ended.json.error?.code).toBe(-32002);
  const broken = await post('/a2a/v1', envelope('tasks/get', { id: 'broken' }));
  expect(broken.json.error).toMatchObject({ code: -32603, message: expect.stringContaining('internal error') });
  expect(JSON.stringify(broken.json)).not.toContain('sk-secret');
});

test('what is no JSON and no envelope is an error of HTTP+JSON where that is spoken', async () => {
  await start();
  const { status, json } = await post('/message:send', '{bad');
  expect([status, json.error?.code]).toEqual([400, 400]);
});

test('events are lines of data on a connection that stays, each sent as it comes', async () => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await start({
    process: async ({ text }) => {
      await held;
      return text;
    },
  });
  const { hostname, port } = new URL(agent.address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const body = JSON.stringify(envelope('message/stream', { message }));
  socket.write(
    `POST /a2a/v1 HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  // The first events are out while the work goes on.
  await expect.poll(() => text).toMatch(/"state":"working"/);
  goOn();
  await expect.poll(() => text).toMatch(/\r\n0\r\n\r\n$/);
  const [head = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  for (const header of [
    /^content-type: text\/event-stream\b/im,
    /^cache-control: .*no-cache/im,
    /^connection: keep-alive$/im,
  ])
    expect(head).toMatch(header);
  // An id, the data in one line, an empty line. Events that come at once may share a chunk: Node 26 puts them into one.
  const pieces = [...text.matchAll(/\n(?:id: \d+\n)?data: (\{.*\})\n\n/g)].map(([, data = '']) => JSON.parse(data));
  expect(pieces.map(({ id, result }) => [id, result.kind, result.status?.state])).toEqual([
    ['abc', 'task', 'submitted'],
    ['abc', 'status-update', 'working'],
    ['abc', 'artifact-update', undefined],
    ['abc', 'status-update', 'completed'],
  ]);
  socket.end();
  await once(socket, 'close');
});
