import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { APPROVAL, ID, settled, storeOf, TurnOutcome } from './support/views.ts';

const POSTS = [
  '/conversations',
  `/conversations/${ID}/messages`,
  `/conversations/${ID}/cancel`,
  `/approvals/${APPROVAL}`,
];
const MESSAGES = `/conversations/${ID}/messages`;
const turn = { outcome: TurnOutcome.SETTLED, view: settled('done') };
const script = { orchestrator: { sendMessage: async () => ({ turn }) }, store: storeOf(turn.view) };

test('the same name in different objects, and as a text, is no repetition', async () => {
  const { send } = await gateway(script);
  const body = '{"action":"accept","content":{"content":1,"b":[{"a":1},{"a":"a"}],"x":["x","x"]}}';
  const { json } = await send('POST', `/conversations/${ID}/inputs/${APPROVAL}`, { body });
  expect(json.error).toContain('did not expect provideInput');
});

describe('a body that cannot be read is 400 on every route and reaches no service', () => {
  test.each([
    ['cut off', '{"message":"x"'],
    ['not JSON', 'message=x'],
    ['followed by more', '{"message":"x"}{}'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair', '{"message":"\\ud800"}'],
    ['half a pair in a name', '{"message":"x","\\udfff":1}'],
    ['a number beyond all numbers', '{"message":"x","n":1e999}'],
    ['a field given twice', '{"message":"x","approved":false, "\\u0061pproved" : true}'],
    ['a field given twice deep inside', '{"message":"x","l":[{"a":"\\\\\\"{","b":{"a":1},"a":2}]}'],
    ['nested without end', `{"message":"x","n":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('%s', async (_name, body) => {
    const { send, calls } = await gateway({});
    for (const path of POSTS) {
      const { status, json } = await send('POST', path, { body });
      expect(status, path).toBe(400);
      expect(json.error, path).toMatch(/^invalid request body: ./);
    }
    expect(calls).toEqual([]);
  });

  test.each(['[]', '"text"', '7', 'null', 'true'])('%s is no object', async (body) => {
    const { send, calls } = await gateway({});
    for (const path of POSTS) expect((await send('POST', path, { body })).status, path).toBe(400);
    expect(calls).toEqual([]);
  });
});

describe('a member that a route does not know is 400 and reaches no service', () => {
  const INPUT = `/conversations/${ID}/inputs/${APPROVAL}`;
  const named = { server: 's', name: 'n', pin: 'p' };
  test.each([
    ['/conversations', { mesage: 'x' }, 'unknown member "mesage"; did you mean "message"?'],
    [
      '/conversations',
      { message: 'x', colour: 1 },
      'unknown member "colour"; known: "message", "agent", "git_commit", "max_call_depth"',
    ],
    [
      '/conversations',
      { message: 'x', priority: 5 },
      '"priority" is not taken: every run begins at once, so none goes before another; leave it out',
    ],
    [MESSAGES, { message: 'x', Message: 'y' }, 'unknown member "Message"; did you mean "message"?'],
    [`/conversations/${ID}/cancel`, { raeson: 'x' }, 'unknown member "raeson"; did you mean "reason"?'],
    [`/approvals/${APPROVAL}`, { aproved: true, answer: 'no' }, 'unknown member "aproved"; did you mean "approved"?'],
    [INPUT, { action: 'accept', contents: {} }, 'unknown member "contents"; did you mean "content"?'],
    ['/tools/accept', { tool: [named] }, 'unknown member "tool"; did you mean "tools"?'],
    [
      '/tools/accept',
      { tools: [named, { ...named, digest: 'd' }] },
      'unknown member "digest" in "tools[1]"; known: "server", "name", "pin"',
    ],
    [
      MESSAGES,
      { message: 'x', ['\u200b'.repeat(500)]: 1 },
      `unknown member "${'\\u{200b}'.repeat(64)}…"; known: "message", "git_commit", "max_call_depth"`,
    ],
  ])('%s %j', async (path, body, words) => {
    const { send, calls } = await gateway({});
    const { status, json } = await send('POST', path, { body });
    expect([status, json.error]).toEqual([400, `invalid request body: ${words}`]);
    expect(calls).toEqual([]);
  });

  test('the members that a route knows are those that /docs/json describes', async () => {
    const boss = { kind: 'user', id: ID, email: 'b@x.example', name: 'B', role: 'SUPER_ADMIN', groups: [] } as const;
    const { send } = await gateway({}, { authenticate: async () => ({ principal: { ...boss, via: 'token' } }) });
    const { endpoints } = (await send('GET', '/docs/json')).json;
    const written = endpoints.filter(({ request }: { request?: object }) => request !== undefined);
    expect(written.length).toBeGreaterThan(6);
    for (const { method, path, request } of written) {
      const { json } = await send(method, path.replace(':id', ID).replace(/:\w+/, APPROVAL), {
        body: { zzzzzzzzz: 1 },
      });
      const known = Object.keys(request.schema).map((name) => `"${name}"`);
      expect(json.error, path).toBe(`invalid request body: unknown member "zzzzzzzzz"; known: ${known.join(', ')}`);
    }
  });
});

test.each([
  ['9007199254740993', 'the number 9007199254740993 at /content/amount is out of range'],
  ['1e-400', 'the number 1e-400 at /content/amount is not kept exactly'],
])(
  'an answer to a tool server with the number %s, which would be another one there, is 400 and says which',
  async (number, words) => {
    const { send, calls } = await gateway({});
    const body = `{"action":"accept","content":{"amount":${number}}}`;
    const { status, json } = await send('POST', `/conversations/${ID}/inputs/${APPROVAL}`, { body });
    expect([status, json.error]).toEqual([400, expect.stringContaining(words)]);
    expect(calls).toEqual([]);
  },
);

test.each([
  ['an empty body', ''],
  ['an empty object', {}],
  ['null', { message: null }],
  ['an empty text', { message: '' }],
  ['blanks', { message: ' \n\t' }],
])('no message in %s is said so, before the conversation is looked for', async (_name, body) => {
  const { send, calls } = await gateway({});
  for (const path of [MESSAGES, '/conversations/nope/messages']) {
    const { status, json } = await send('POST', path, { body });
    expect({ status, json }).toEqual({ status: 400, json: { error: 'message is required' } });
  }
  expect(calls).toEqual([]);
});

test.each([
  ['a number', { message: 5 }],
  ['a NUL', { message: 'a\0b' }],
  ['more bytes than allowed', { message: 'é'.repeat(32 * 1024 + 1) }],
])('a message of %s is refused with a clear text, on create too', async (_name, body) => {
  const { send, calls } = await gateway({});
  for (const path of [MESSAGES, '/conversations']) {
    const { status, json } = await send('POST', path, { body });
    expect(status).toBe(400);
    expect(json.error).toContain('"message"');
  }
  expect(calls).toEqual([]);
});

test('the largest message is taken, whatever the Content-Type says', async () => {
  const { send, calls } = await gateway(script);
  const body = { message: 'é'.repeat(32 * 1024) };
  for (const type of ['application/json', 'text/plain; charset=latin1', 'multipart/form-data', 'no type at all']) {
    expect((await send('POST', MESSAGES, { body, headers: { 'Content-Type': type } })).status, type).toBe(200);
  }
  expect(calls[3]?.request).toMatchObject(body);
});

test('a body above the limit is 413, announced or not, and the limit itself is not', async () => {
  const { send } = await gateway(script);
  const limit = 1024 * 1024;
  const bodyOf = (bytes: number) => `{"message":"x"${' '.repeat(bytes - '{"message":"x"}'.length)}}`;
  expect((await send('POST', MESSAGES, { body: bodyOf(limit) })).status).toBe(200);
  for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    const { status, json } = await send('POST', MESSAGES, { body: bodyOf(limit + 1), headers });
    expect(status).toBe(413);
    expect(json.error).toContain('1048576 bytes');
  }
});

test('a compressed body is refused, since nobody can tell its size', async () => {
  const { send } = await gateway(script);
  const { status, json } = await send('POST', MESSAGES, { body: 'x', headers: { 'Content-Encoding': 'gzip' } });
  expect(status).toBe(415);
  expect(json.error).toContain('compressed');
});
