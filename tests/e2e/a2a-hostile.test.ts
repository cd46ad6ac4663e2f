import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Came,
  GRPC_METHODS,
  good,
  grpcMessage,
  post,
  rawGrpc,
  STACK,
  sendHttp,
  WAYS,
  type Way,
  wayName,
  wrapped,
} from './a2a-raw.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Whatever is sent to a real gateway, in either version over each transport: the protocol's own errors, and nothing made. */
const BODY_BYTES_MAX = 256 * 1024;

let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
let grpc: ReturnType<typeof rawGrpc>;
let before: number;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  const config = `a2a_grpc_port: 0\nlimits:\n  body_bytes: ${BODY_BYTES_MAX}\n`;
  platform = await start(place, resourcesConfig(place, config), { env: model.env });
  http = client(platform.url);
  const card = JSON.parse((await http.get('/.well-known/agent-card.json', { 'a2a-version': '1.0' })).text);
  const interfaces: { protocolBinding: string; url: string }[] = card.supportedInterfaces;
  grpc = rawGrpc(interfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC')?.url ?? '');
});

afterAll(async () => {
  grpc.close();
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

const total = async (): Promise<number> => (await http.get('/conversations')).body.summary.total ?? Number.NaN;

beforeEach(async () => {
  before = await total();
});

let read = 0;

/** Nothing that was sent is our fault. */
afterEach(() => {
  const said = platform.output().slice(read);
  read += said.length;
  expect(said.split('\n').filter((line) => /internal error|unhandled|uncaught/i.test(line))).toEqual([]);
});

async function isRefused(came: Came, codes: readonly (string | number)[]): Promise<void> {
  expect([came.code, came.isOfProtocol], came.text).toEqual([
    expect.toSatisfy((code: string) => codes.map(String).includes(code)),
    true,
  ]);
  expect(came.text).not.toMatch(STACK);
  expect(await total(), came.text).toBe(before);
}

const TOO_LONG = 'x'.repeat(BODY_BYTES_MAX);
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** What is wrong, how it is sent, and what is said of it over JSON-RPC and over HTTP+JSON. */
const BAD_MESSAGES: readonly (readonly [string, (way: Way) => unknown, number, number])[] = [
  ['no message', (way) => wrapped(way, undefined), -32602, 400],
  ['a message that is a list', (way) => wrapped(way, []), -32602, 400],
  ['a message that is null', (way) => wrapped(way, null), -32602, 400],
  ['no parts', (way) => wrapped(way, good(way, { parts: [] })), -32602, 400],
  ['parts that are none', (way) => wrapped(way, good(way, { parts: 7 })), -32602, 400],
  ['a part that is none', (way) => wrapped(way, good(way, { parts: [7] })), -32602, 400],
  ['a part that is null', (way) => wrapped(way, good(way, { parts: [null] })), -32602, 400],
  ['a part of nothing', (way) => wrapped(way, good(way, { parts: [{}] })), -32602, 400],
  ['a message that says nothing', (way) => wrapped(way, good(way, { parts: [textOf(way, '   ')] })), -32602, 400],
  ['a file', (way) => wrapped(way, good(way, { parts: [fileOf(way)] })), -32005, 400],
  ['no role', (way) => wrapped(way, good(way, { role: undefined })), -32602, 400],
  ['a role that is none', (way) => wrapped(way, good(way, { role: 'root' })), -32602, 400],
  ['no id', (way) => wrapped(way, good(way, { messageId: '' })), -32602, 400],

  [
    'a history of less than nothing',
    (way) => wrapped(way, good(way), { configuration: { historyLength: -1 } }),
    -32602,
    400,
  ],
  ...['../../approvals', '..%2f..%2fapprovals', '\u0000', 'x'.repeat(10_000), "' OR 1=1 --", '__proto__'].map(
    (id) =>
      [
        `a task id like ${JSON.stringify(id.slice(0, 20))}`,
        (way: Way) => wrapped(way, good(way, { taskId: id })),
        -32001,
        404,
      ] as const,
  ),
  [
    'a text that is inherited',
    (way) =>
      JSON.stringify(wrapped(way, good(way, { parts: ['here'] }))).replace(
        '"here"',
        '{"__proto__":{"text":"x","kind":"text"}}',
      ),
    -32602,
    400,
  ],
];

const textOf = ({ version, isRpc }: Way, text: string): object =>
  version === '0.3' && isRpc ? { kind: 'text', text } : { text };

const fileOf = ({ version, isRpc }: Way): object => {
  if (version === '1.0') return { url: 'https://x.test/' };
  return isRpc ? { kind: 'file', file: { uri: 'https://x.test/' } } : { file: { fileWithUri: 'https://x.test/' } };
};

/** Bodies that are no request in any version. */
const BAD_BODIES: readonly (readonly [string, string | Uint8Array, Readonly<Record<string, string>>])[] = [
  ['half of a body', '{"jsonrpc":"2.0","message":', {}],
  ['no body', '', {}],
  [
    'a body that is not UTF-8',
    Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    {},
  ],
  ['half of a surrogate pair', '{"jsonrpc":"2.0","x":"\\ud800"}', {}],
  ['a name that stands twice', '{"jsonrpc":"2.0","message":{},"message":{}}', {}],
  ['a body nested a hundred thousand deep', deep(100_000), {}],
  ['a number that is none', '{"jsonrpc":"2.0","id":1e999}', {}],
  ['too much', JSON.stringify({ x: TOO_LONG }), {}],
  ['a compressed body', Buffer.from([0x1f, 0x8b, 8, 0]), { 'content-encoding': 'gzip' }],
  ['a form', 'message=hello&method=SendMessage', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['XML', '<message><part>hello</part></message>', { 'content-type': 'application/xml' }],
  ['a list of requests', '[{"jsonrpc":"2.0","id":1,"method":"SendMessage"}]', {}],
  ['a word', '"SendMessage"', {}],
  ['null', 'null', {}],
];

describe.each(WAYS.map((way) => [wayName(way), way] as const))('version %s', (_name, way) => {
  test.each(BAD_MESSAGES)('%s is refused, and nothing is made', async (_what, request, rpcCode, httpStatus) => {
    await isRefused(await post(platform.url, way, request(way)), [way.isRpc ? rpcCode : httpStatus]);
  });

  test.each(BAD_BODIES)('%s is refused, and nothing is made', async (_what, body, headers) => {
    await isRefused(
      await post(platform.url, way, body, headers),
      way.isRpc ? [-32700, -32600, -32005] : [400, 413, 415],
    );
  });

  // JSON-RPC of 0.3 has no tenants: what it does not know is passed over.
  // JSON-RPC of 0.3 has no word for tenants.
  if (way.version === '1.0' || !way.isRpc)
    test('another tenant is refused', async () => {
      const foreign = wrapped(way, good(way), { tenant: 'foreign' });
      await isRefused(await post(platform.url, way, foreign), [way.isRpc ? -32602 : 400]);
    });

  test('another version is refused', async () => {
    for (const version of ['9.9', '2.0', '0.2', 'latest', '1', '1.0.x', '__proto__'])
      await isRefused(await post(platform.url, way, wrapped(way, good(way)), { 'a2a-version': version }), [
        way.isRpc ? -32009 : 400,
      ]);
  });
});

describe('over JSON-RPC', () => {
  const RPC = WAYS.filter(({ isRpc }) => isRpc);

  test.each([
    ['an unknown method', { method: 'Explode' }, [-32601]],
    ['a method by a name that objects have', { method: 'constructor' }, [-32601]],
    ['a method that is none', { method: 7 }, [-32600]],
    ['another protocol', { jsonrpc: '1.0', method: 'SendMessage' }, [-32600]],
    ['an id that is none', { id: { a: 1 }, method: 'SendMessage' }, [-32600]],
    ['params that are a list', { method: 'SendMessage', params: [1] }, [-32602, -32601]],
    ['params that are text', { method: 'tasks/get', params: 'x' }, [-32602, -32601]],
    ['a task by a number', { method: 'GetTask', params: { id: 7 } }, [-32602, -32601, -32001]],
    ['a task without id', { method: 'tasks/cancel', params: {} }, [-32602, -32601, -32001]],
  ])('%s is refused, and nothing is made', async (_what, request, codes) => {
    for (const way of RPC) await isRefused(await post(platform.url, way, { jsonrpc: '2.0', id: 1, ...request }), codes);
  });

  test.each(['GetTask', 'CancelTask', 'SubscribeToTask', 'tasks/get', 'tasks/cancel', 'tasks/resubscribe'])(
    '%s of a task that nobody has, or that is a path',
    async (method) => {
      for (const id of [randomUUID(), '../conversations', '..%2f', '\u0000', 'x'.repeat(10_000), 'constructor'])
        await isRefused(await sendHttp(`${platform.url}/a2a/v1`, rpc({ method, params: { id } })), [-32001, -32602]);
      const foreign = { method, params: { id: randomUUID(), tenant: 'foreign' } };
      await isRefused(await sendHttp(`${platform.url}/a2a/v1`, rpc(foreign)), [-32602, -32001]);
    },
  );

  test.each([
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: -1 },
    { status: 'ASLEEP' },
    { historyLength: -1 },
    { pageToken: 'no' },
    { statusTimestampAfter: 'soon' },
    { tenant: 'foreign' },
  ])('a list of %o', async (params) =>
    isRefused(await sendHttp(`${platform.url}/a2a`, rpc({ method: 'ListTasks', params })), [-32602]),
  );

  const rpc = (request: object): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
});

describe('over HTTP+JSON', () => {
  test.each(['', '/v1'])('paths that are no task below "%s" lead nowhere', async (prefix) => {
    const get = (path: string) => sendHttp(`${platform.url}${prefix}${path}`, { method: 'GET' });
    for (const id of [randomUUID(), '..%2f..%2fapprovals', '%00', 'constructor', `${'x'.repeat(2_000)}`]) {
      await isRefused(await get(`/tasks/${id}`), [404]);
      for (const verb of ['cancel', 'subscribe'])
        await isRefused(await sendHttp(`${platform.url}${prefix}/tasks/${id}:${verb}`, { method: 'POST' }), [404]);
    }
    for (const query of [
      'pageSize=0',
      'pageSize=1e9',
      'pageSize=x',
      'status=asleep',
      'historyLength=-1',
      'statusTimestampAfter=soon',
      'pageToken=no',
    ])
      await isRefused(await get(`/tasks?${query}`), [400]);
    await isRefused(await get(`/tasks/${randomUUID()}?historyLength=-1`), [400]);
    await isRefused(await get(`/tasks/${randomUUID()}?historyLength=x`), [400]);
  });
});

describe.each(['1.0', '0.3'] as const)('over gRPC in version %s', (version) => {
  const { sendMessage, getTask, cancelTask } = GRPC_METHODS[version];
  const bytesOf = (words: string): Buffer => Buffer.from(words, 'latin1');
  /** The first field, a text. */
  const named = (id: string): Buffer => {
    const text = Buffer.from(id);
    return Buffer.concat([Buffer.from([0x0a]), lengthOf(text.length), text]);
  };
  const lengthOf = (length: number): Buffer =>
    length < 128 ? Buffer.from([length]) : Buffer.concat([Buffer.from([(length & 127) | 128]), lengthOf(length >> 7)]);

  test('bytes that are no message are refused', async () => {
    for (const bytes of [
      bytesOf(''),
      bytesOf('\xff\xff\xff\xff'),
      bytesOf('\x0a\x7fshort'),
      named('\u0000'),
      bytesOf('\x0a\x02\xc3\x28'),
    ])
      await isRefused(await grpc.call(sendMessage.path, bytes), ['INVALID_ARGUMENT', 'INTERNAL']);
    await isRefused(await grpc.call(sendMessage.path, Buffer.alloc(BODY_BYTES_MAX + 1)), ['RESOURCE_EXHAUSTED']);
  });

  test('keys and names that are none, and a message of the agent or of nobody', async () => {
    const message = grpcMessage(version);
    for (const [header, value, problem] of [
      ['idempotency-key', 'short', 'Idempotency-Key must be'],
      ['idempotency-key', 'with blanks in the middle', 'Idempotency-Key must be'],
      ['x-approver', 'x'.repeat(129), 'X-Approver must be'],
    ] as const) {
      const came = await grpc.call(sendMessage.path, message, { [header]: value });
      await isRefused(came, ['INVALID_ARGUMENT']);
      expect(came.text).toContain(problem);
    }
    for (const role of [0, 2, 7]) {
      const came = await grpc.call(sendMessage.path, grpcMessage(version, role));
      await isRefused(came, ['INVALID_ARGUMENT']);
      expect(came.text).toContain('message.role');
    }
  });

  test('tasks that nobody has, and methods that do not exist', async () => {
    const names =
      version === '1.0'
        ? (id: string) => Buffer.concat([bytesOf('\x12'), named(id).subarray(1)])
        : (id: string) => named(`tasks/${id}`);
    for (const id of [randomUUID(), '../conversations', '..%2f', 'x'.repeat(10_000), 'constructor'])
      for (const { path } of [getTask, cancelTask])
        await isRefused(await grpc.call(path, names(id)), ['NOT_FOUND', 'INVALID_ARGUMENT']);
    await isRefused(await grpc.call(sendMessage.path.replace('SendMessage', 'Explode'), bytesOf('')), [
      'UNIMPLEMENTED',
    ]);
    await isRefused(await grpc.call('/../../etc/passwd', bytesOf('')), ['UNIMPLEMENTED']);
    const other = version === '1.0' ? { 'a2a-version': '9.9' } : { 'a2a-version': '7.0' };
    await isRefused(await grpc.call(getTask.path, names(randomUUID()), other), ['FAILED_PRECONDITION', 'NOT_FOUND']);
  });
});
