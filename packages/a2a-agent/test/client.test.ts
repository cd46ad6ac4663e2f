import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient, type ReadEvent, RemoteAgentError } from '../src/client/index.ts';
import { TaskState } from '../src/index.ts';

type Asked = { readonly method: string; readonly url: string; readonly body: string; readonly headers: object };

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** An agent that answers as it is told, and what it was asked. */
async function agent(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const asked: Asked[] = [];
  let left = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    left = resolve;
  });
  const listening = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += String(chunk);
    });
    res.once('close', left);
    req.once('end', () => {
      asked.push({ method: req.method ?? '', url: req.url ?? '', body, headers: req.headers });
      answer(req, res);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, closed };
}

const saying =
  (json: unknown, status = 200) =>
  (_req: IncomingMessage, res: ServerResponse) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));

const completed = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-02T03:04:05Z' };
const artifact = { artifactId: 'a', name: 'answer', parts: [{ text: 'done' }] };
const modern = { id: 't', contextId: 'c', status: completed, artifacts: [artifact] };
/** The same task in the words of each dialect. */
const dialects = {
  '1.0': modern,
  '1.0, as a member': { task: modern },
  '0.3': {
    kind: 'task',
    id: 't',
    contextId: 'c',
    status: { state: 'completed', timestamp: '2026-01-02T03:04:05Z' },
    artifacts: [{ artifactId: 'a', name: 'answer', parts: [{ kind: 'text', text: 'done' }] }],
  },
  legacy: {
    id: 't',
    status: { state: 'completed', message: 'all well' },
    artifact: { parts: [{ type: 'text', text: 'done' }] },
  },
};

describe('a message', () => {
  test.each(Object.entries(dialects))(
    'is sent in an envelope, and a task in the words of %s is read',
    async (_, result) => {
      const { url, asked } = await agent(saying({ jsonrpc: '2.0', id: 1, result }));
      const task = await createHttpClient({ newId: () => 'id', headers: { 'x-mine': 'yes' } }).sendMessage(
        `${url}/base/`,
        {
          text: 'bake',
          contextId: 'c',
        },
      );
      expect(task).toMatchObject({
        id: 't',
        status: { state: TaskState.TASK_STATE_COMPLETED },
        artifacts: [{ parts: [{ content: { $case: 'text', value: 'done' } }] }],
      });
      expect(asked).toMatchObject([{ method: 'POST', url: '/base/message:send', headers: { 'x-mine': 'yes' } }]);
      expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
        jsonrpc: '2.0',
        id: 'id',
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            messageId: 'id',
            role: 'user',
            parts: [{ kind: 'text', type: 'text', text: 'bake' }],
            contextId: 'c',
          },
        },
      });
    },
  );

  test('the text of a status of old, files and data are kept', async () => {
    const parts = [
      { kind: 'file', file: { name: 'a.txt', mimeType: 'text/plain', uri: 'https://example.com/a.txt' } },
      { kind: 'data', data: { kind: 'mine', role: 'user', state: 'solid' } },
    ];
    const { url } = await agent(
      saying({ kind: 'task', id: 't', status: { state: 'failed', message: 'no flour' }, artifacts: [{ parts }] }),
    );
    const task = await createHttpClient().getTask(url, 't');
    expect(task.status?.message?.parts).toMatchObject([{ content: { value: 'no flour' } }]);
    expect(task.artifacts[0]?.parts).toMatchObject([
      { content: { $case: 'url', value: 'https://example.com/a.txt' }, filename: 'a.txt', mediaType: 'text/plain' },
      { content: { $case: 'data', value: { kind: 'mine', role: 'user', state: 'solid' } } },
    ]);
  });
});

test('tasks are got, listed page by page, and canceled, at addresses that hold nothing but their ids', async () => {
  const { url, asked } = await agent(({ url: at = '' }, res) =>
    saying(at.startsWith('/tasks?') ? { tasks: [modern], nextPageToken: 'more', totalSize: 7 } : modern)(
      undefined as never,
      res,
    ),
  );
  const client = createHttpClient();
  await client.getTask(url, '../x?y', 3);
  const page = await client.listTasks(url, {
    contextId: 'c',
    status: TaskState.TASK_STATE_COMPLETED,
    pageSize: 2,
    pageToken: 'p',
  });
  expect(page).toMatchObject({ tasks: [{ id: 't' }], nextPageToken: 'more', totalSize: 7 });
  await client.cancelTask(url, 't');
  expect(asked.map(({ method, url: at }) => `${method} ${at}`)).toEqual([
    'GET /tasks/..%2Fx%3Fy?historyLength=3',
    'GET /tasks?contextId=c&status=TASK_STATE_COMPLETED&pageSize=2&pageToken=p',
    'POST /tasks/t:cancel',
  ]);
});

test('a card is read whole, whether or not the address ends with a slash', async () => {
  const skills = [{ id: 's', name: 'S', description: 'd', tags: ['x'] }];
  const { url, asked } = await agent(
    saying({
      name: 'baker',
      description: 'Bakes',
      version: '2',
      skills,
      capabilities: { streaming: true },
      supportedInterfaces: [],
    }),
  );
  for (const base of [url, `${url}/`])
    expect(await createHttpClient().discoverAgent(base)).toMatchObject({
      name: 'baker',
      description: 'Bakes',
      version: '2',
      skills,
      capabilities: { streaming: true },
    });
  expect(asked.map((one) => one.url)).toEqual(['/.well-known/agent-card.json', '/.well-known/agent-card.json']);
});

describe('what goes wrong is an error that says it', () => {
  const refusal = { code: -32001, message: 'no such task' };
  test.each([
    ['an error of JSON-RPC', saying({ jsonrpc: '2.0', id: 1, error: refusal }), -32001, 'no such task (-32001)'],
    ['an error of 0.3 over HTTP', saying(refusal, 404), -32001, 'no such task (-32001)'],
    ['an error of HTTP+JSON', saying({ error: { code: 404, message: 'not there' } }, 404), 404, 'not there (404)'],
    ['an error of something else', saying('oops', 500), 500, 'the agent answered with HTTP 500 (500)'],
  ])('%s', async (_, answer, code, message) => {
    const { url } = await agent(answer);
    const error = await createHttpClient()
      .getTask(url, 't')
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RemoteAgentError);
    expect(error).toMatchObject({ code, message });
  });

  test.each([
    ['no JSON', (_: IncomingMessage, res: ServerResponse) => res.end('<html>'), /no JSON/],
    ['no task', saying({ jsonrpc: '2.0', id: 1, result: { id: '' } }), /no task/],
    ['no list', saying({ tasks: 1 }), /no task|no list/],
  ])('%s', async (name, answer, message) => {
    const { url } = await agent(answer);
    const client = createHttpClient();
    const answered = name === 'no list' ? client.listTasks(url) : client.getTask(url, 't');
    await expect(answered).rejects.toThrow(message);
  });

  test('an answer that does not come ends with the time, or with the caller', async () => {
    const leaving = new AbortController();
    const { url, closed } = await agent(() => leaving.abort(new Error('enough')));
    await expect(createHttpClient().getTask(url, 't', undefined, leaving.signal)).rejects.toThrow('enough');
    await closed;
    await expect(createHttpClient({ timeoutMs: 20 }).getTask(url, 't')).rejects.toThrow('no answer within 20 ms');
  });

  test('an answer that never ends does, too', async () => {
    const { url } = await agent(
      (_, res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{"id":'),
    );
    await expect(createHttpClient({ timeoutMs: 50 }).getTask(url, 't')).rejects.toThrow('no answer within 50 ms');
  });
});

describe('a stream', () => {
  const events = (text: string) => (_: IncomingMessage, res: ServerResponse) =>
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);

  test('is read in whatever form its events come, and one that is none does not end it', async () => {
    const lines = [
      ': a comment',
      'data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}',
      '',
      'id: 3',
      'data:{"kind":"artifact-update","taskId":"t","contextId":"c",',
      'data:"artifact":{"artifactId":"a","parts":[{"kind":"text","text":"dö"}]}}',
      '',
      'data: {"status',
      '',
      'data: {"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}',
      '',
      '',
    ];
    const bytes = Buffer.from(lines.join('\n'));
    const { url, asked } = await agent((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      // Cut inside of a character.
      const cut = bytes.indexOf('ö') + 1;
      res.write(bytes.subarray(0, cut), () => res.end(bytes.subarray(cut)));
    });
    const read: ReadEvent[] = [];
    for await (const one of createHttpClient().streamMessage(url, { text: 'bake' })) read.push(one);
    expect(read.map(({ event, error }) => event?.payload?.$case ?? error?.name)).toEqual([
      'statusUpdate',
      'artifactUpdate',
      'SyntaxError',
      'statusUpdate',
    ]);
    expect(read[1]?.event?.payload).toMatchObject({ value: { artifact: { parts: [{ content: { value: 'dö' } }] } } });
    expect(read[3]?.event?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ method: 'message/stream' });
  });

  const working = 'data: {"kind":"status-update","taskId":"t","status":{"state":"working"}}\n\n';

  test('that the caller leaves is closed', async () => {
    const { url, closed } = await agent(events(working));
    for await (const { event } of createHttpClient({ timeoutMs: 30_000 }).streamMessage(url, { text: 'bake' })) {
      expect(event?.payload?.$case).toBe('statusUpdate');
      break;
    }
    await closed;
  });

  test('that the caller gives up ends with the reason, and is closed', async () => {
    const { url, closed } = await agent(events(working));
    const leaving = new AbortController();
    const stream = createHttpClient().streamMessage(url, { text: 'bake' }, leaving.signal);
    await stream.next();
    const next = stream.next();
    leaving.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await closed;
  });

  test('that was refused is an error; an agent that does not stream answers with its task', async () => {
    const refused = await agent(saying({ jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'no streams' } }));
    await expect(createHttpClient().streamMessage(refused.url, { text: 'bake' }).next()).rejects.toThrow(
      'no streams (-32004)',
    );
    server?.closeAllConnections();
    server?.close();
    const whole = await agent(saying({ jsonrpc: '2.0', id: 1, result: modern }));
    const { value } = await createHttpClient().streamMessage(whole.url, { text: 'bake' }).next();
    expect(value?.event?.payload).toMatchObject({ $case: 'task', value: { id: 't' } });
  });
});
