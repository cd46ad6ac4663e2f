import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type A2AClient, createHttpClient, type ReadEvent, RemoteAgentError } from '../src/client/index.ts';
import { TaskState } from '../src/index.ts';
import { Role } from '../src/protocol.ts';
import { agent, closeAgent, saying } from './raw-agent.ts';

afterEach(closeAgent);

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

test.each([
  [
    'JSON-RPC of 0.3',
    {
      jsonrpc: '2.0',
      id: 1,
      result: { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] },
    },
  ],
  [
    'JSON-RPC of 1.0',
    { jsonrpc: '2.0', id: 1, result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } } },
  ],
  ['HTTP+JSON of 0.3', { msg: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'hi' }] } }],
])('an answer that is a message, over %s, is that message, also where a stream was asked for', async (_, json) => {
  const { url } = await agent(saying(json));
  const message = { messageId: 'm', role: Role.ROLE_AGENT, parts: [{ content: { $case: 'text', value: 'hi' } }] };
  expect(await createHttpClient().sendMessage(url, { text: 'hello' })).toMatchObject(message);
  const { value } = await createHttpClient().streamMessage(url, { text: 'hello' }).next();
  expect(value?.event?.payload).toMatchObject({ $case: 'message', value: message });
});

test('a card of 0.3 keeps its address, and is read as one that names its interfaces', async () => {
  const rpc = 'http://baker.example/rpc';
  const additionalInterfaces = [
    { url: rpc, transport: 'JSONRPC' },
    { url: 'http://baker.example', transport: 'HTTP+JSON' },
  ];
  const { url } = await agent(
    saying({ name: 'baker', protocolVersion: '0.3.0', url: rpc, preferredTransport: 'JSONRPC', additionalInterfaces }),
  );
  expect(await createHttpClient().discoverAgent(url)).toMatchObject({
    url: rpc,
    supportedInterfaces: [
      { url: rpc, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: 'http://baker.example', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ],
  });
  closeAgent();
  const modern = [{ url: `${rpc}/1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  const other = await agent(saying({ name: 'baker', supportedInterfaces: modern }));
  expect(await createHttpClient().discoverAgent(other.url)).toMatchObject({
    url: `${rpc}/1`,
    supportedInterfaces: modern,
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
  const card = {
    name: 'baker',
    description: 'Bakes',
    version: '2',
    provider: { organization: 'Bakers', url: 'https://bakers.example' },
    documentationUrl: 'https://bakers.example/docs',
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 's', name: 'S', description: 'd', tags: ['x'], examples: ['bake'], inputModes: ['text/plain'] }],
    supportedInterfaces: [{ url: 'https://bakers.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  };
  const { url, asked } = await agent(saying(card));
  for (const base of [url, `${url}/`]) expect(await createHttpClient().discoverAgent(base)).toMatchObject(card);
  expect(asked.map((one) => one.url)).toEqual(['/.well-known/agent-card.json', '/.well-known/agent-card.json']);
});

test('a card is looked for where agents before 0.3 have it, if there is none else', async () => {
  const old = { name: 'baker', url: 'http://baker.example/rpc', skills: [{ id: 's', name: 'S' }] };
  const { url, asked } = await agent(({ url: path }, res) =>
    (path === '/.well-known/agent.json' ? saying(old) : saying({ error: 'nothing here' }, 404))(
      undefined as never,
      res,
    ),
  );
  expect(await createHttpClient().discoverAgent(url)).toMatchObject({
    name: 'baker',
    url: old.url,
    skills: old.skills,
  });
  expect(asked.map((one) => one.url)).toEqual(['/.well-known/agent-card.json', '/.well-known/agent.json']);
  await expect(createHttpClient().discoverAgent(`${url}/else`)).rejects.toThrow('HTTP 404');
});

test('requests go out by the fetch that the client is given', async () => {
  const urls: string[] = [];
  const given: typeof fetch = async (input) => {
    urls.push(String(input));
    return Response.json({ jsonrpc: '2.0', id: 1, result: modern });
  };
  expect(await createHttpClient({ fetch: given }).getTask('http://nowhere.invalid', 't')).toMatchObject({ id: 't' });
  expect(urls).toEqual(['http://nowhere.invalid/tasks/t']);
});

describe('what goes wrong is an error that says it', () => {
  const refusal = { code: -32001, message: 'no such task' };
  test.each([
    ['an error of JSON-RPC', saying({ jsonrpc: '2.0', id: 1, error: refusal }), -32001, 'no such task (-32001)'],
    ['an error of 0.3 over HTTP', saying(refusal, 404), -32001, 'no such task (-32001)'],
    ['an error of HTTP+JSON', saying({ error: { code: 404, message: 'not there' } }, 404), 404, 'not there (404)'],
    [
      'an error of HTTP+JSON that names it',
      saying(
        { error: { code: 404, message: 'not there', details: [{ reason: 'X' }, { reason: 'TASK_NOT_FOUND' }] } },
        404,
      ),
      -32001,
      'not there (-32001)',
    ],
    [
      'an error of HTTP+JSON about a card',
      saying({ error: { code: 400, message: 'no', details: [{ reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED' }] } }, 400),
      -32007,
      'no (-32007)',
    ],
    ['an error of something else', saying('oops', 500), 500, 'the agent answered with HTTP 500 (500)'],
  ])('%s', async (_, answer, code, message) => {
    const { url } = await agent(answer);
    const error = await createHttpClient()
      .getTask(url, 't')
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RemoteAgentError);
    expect(error).toMatchObject({ code, message });
  });

  const everyMethod = (client: A2AClient, url: string): readonly (() => Promise<unknown>)[] => [
    () => client.sendMessage(url, { text: 'bake' }),
    () => client.streamMessage(url, { text: 'bake' }).next(),
    () => client.subscribeToTask(url, 't').next(),
    () => client.getTask(url, 't'),
    () => client.listTasks(url),
    () => client.cancelTask(url, 't'),
    () => client.discoverAgent(url),
  ];

  test('each method looks at the status, and at the error in an envelope', async () => {
    for (const [answer, code] of [
      [saying({ id: 't', tasks: [], name: 'n' }, 500), 500],
      [saying({ jsonrpc: '2.0', id: 1, error: refusal }), -32001],
    ] as const) {
      const { url } = await agent(answer);
      for (const ask of everyMethod(createHttpClient(), url)) await expect(ask()).rejects.toMatchObject({ code });
      closeAgent();
    }
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
    const other = await agent(() => undefined);
    // Long enough for the request to arrive, also on a busy machine: one that did not would never be closed.
    await expect(createHttpClient({ timeoutMs: 1_000 }).getTask(other.url, 't')).rejects.toThrow(
      'no answer within 1000 ms',
    );
    // The request does not go on unheard.
    await other.closed;
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
    closeAgent();
    const whole = await agent(saying({ jsonrpc: '2.0', id: 1, result: modern }));
    const { value } = await createHttpClient().streamMessage(whole.url, { text: 'bake' }).next();
    expect(value?.event?.payload).toMatchObject({ $case: 'task', value: { id: 't' } });
  });
});
