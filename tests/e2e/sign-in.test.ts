import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { GRPC_METHODS, rawGrpc } from './a2a-raw.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';
import {
  audience,
  bearer,
  encoded,
  forged,
  inAnHour,
  issuer,
  jwtTaken,
  publicPem,
  signedBy,
  tokenOf,
} from './tokens.ts';

/**
 * Where people sign in nothing gets past that, in one process and in many: each way of not being somebody is refused, each route shows
 * each person what is theirs, and what signs in goes no further.
 */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;
let grpcPort: number;
/** What came with each call of a tool. */
let forwarded: (string | undefined)[] = [];

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools({
    onCall: ({ authorization }) => {
      forwarded.push(authorization);
      return 'done';
    },
  });
  place = workplace();
  const jwt = await jwtTaken(place.folder);
  [grpcPort] = (await freePorts(1)) as [number];
  platform = await start(
    place,
    `
host: 127.0.0.1
port: 0
a2a_grpc_port: ${grpcPort}
log_level: debug
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers: [{ name: bank, url: ${JSON.stringify(tools.url)} }]
auth:
  new_users: first_login
  jwt: ${jwt}
`,
    { env: model.env },
  );
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
});

type Sent = { readonly body?: object | undefined; readonly headers?: Readonly<Record<string, string>> | undefined };

const send = (method: string, path: string, { body, headers }: Sent = {}) =>
  sendJson(new URL(path, platform.url), method, headers, body);

/** Asks for a task over gRPC. */
async function grpcGet(id: string, headers: Readonly<Record<string, string>>) {
  const raw = rawGrpc(`127.0.0.1:${grpcPort}`);
  const { path, requestSerialize } = GRPC_METHODS['1.0'].getTask;
  try {
    return await raw.call(path, requestSerialize({ tenant: '', id, historyLength: undefined }), headers);
  } finally {
    raw.close();
  }
}

let boss: Readonly<Record<string, string>>;

test('the first user is made with a key that only the operator can read, and that works once', async () => {
  const path = [place.dataDir, join(place.dataDir, 'approvals'), join(place.dataDir, 'approvals-1')]
    .map((folder) => join(folder, 'setup-key'))
    .find(existsSync);
  if (path === undefined) throw new Error('there is no setup-key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const key = readFileSync(path, 'utf8').trim();
  expect(platform.output()).toContain('setup-key');
  expect(platform.output()).not.toContain(key);
  const setup = { 'x-api-key': key };
  // It is for nothing else.
  for (const [method, to] of [
    ['GET', '/conversations'],
    ['POST', '/conversations'],
    ['GET', '/users'],
    ['GET', '/approvals'],
    ['GET', '/approvals/counts'],
    ['GET', '/approvals/events'],
  ] as const)
    expect((await send(method, to, { headers: setup, ...(method === 'POST' ? { body: {} } : {}) })).status).toBe(403);
  const wrong = await send('POST', '/users', {
    headers: setup,
    body: { email: 'x@x.example', name: 'X', role: 'USER' },
  });
  expect(wrong.status).toBe(403);
  const person = { email: 'boss@x.example', name: 'Boss' };
  const made = await Promise.all([1, 2, 3].map(() => send('POST', '/users', { headers: setup, body: person })));
  expect(made.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  expect((await send('GET', '/me', { headers: setup })).status).toBe(401);
  const first = made.find(({ status }) => status === 201)?.json.key.text;
  expect((await send('GET', '/me', { headers: { 'x-api-key': first } })).json.user.email).toBe('boss@x.example');
  boss = bearer(await tokenOf('boss@x.example'));
  const me = await send('GET', '/me', { headers: boss });
  expect(me.json.user).toMatchObject({ email: 'boss@x.example', role: 'SUPER_ADMIN', active: true });
});

describe('who is nobody is refused', () => {
  const cases: readonly [what: string, credentials: () => Promise<Record<string, string>> | Record<string, string>][] =
    [
      ['no credentials', () => ({})],
      ['another scheme', () => ({ authorization: 'Basic Ym9zczpib3Nz' })],
      ['a bearer of nothing', () => ({ authorization: 'Bearer ' })],
      ['no token at all', () => bearer('not-a-token')],
      ['an expired token', async () => bearer(await tokenOf('boss@x.example', { exp: inAnHour() - 7_200 }))],
      ['a token that is not valid yet', async () => bearer(await tokenOf('boss@x.example', { nbf: inAnHour() }))],
      ['another audience', async () => bearer(await tokenOf('boss@x.example', { aud: 'another' }))],
      ['another issuer', async () => bearer(await tokenOf('boss@x.example', { iss: 'https://evil.example/' }))],
      ['no e-mail address', async () => bearer(await tokenOf('', { email: undefined }))],
      ...[false, 'false', '0', 0, null].map((said): [string, () => Promise<Record<string, string>>] => [
        `an address that nobody has verified: ${JSON.stringify(said)}`,
        async () => bearer(await tokenOf('boss@x.example', { email_verified: said })),
      ]),
      ['an address that is another in lower case', async () => bearer(await tokenOf('\u212aim@x.example'))],
      ['what is no address', async () => bearer(await tokenOf('boss'))],
      ['alg: none', () => bearer(forged({ alg: 'none' }, () => ''))],
      ['alg: None', () => bearer(forged({ alg: 'None' }, () => ''))],
      [
        'a key of its own',
        async () =>
          bearer(await signedBy(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { kid: 'one' })),
      ],
      [
        'a key that it brings itself',
        async () => {
          const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
          return bearer(await signedBy(own.privateKey, { jwk: await exportJWK(own.publicKey) }));
        },
      ],
      [
        'the public key taken for a secret',
        () =>
          bearer(
            forged({ alg: 'HS256', kid: 'one' }, (text) =>
              createHmac('sha256', publicPem).update(text).digest('base64url'),
            ),
          ),
      ],
      ['a signature that is cut', async () => bearer((await tokenOf('boss@x.example')).slice(0, -5))],
      [
        'claims that were changed',
        async () => {
          const [header, , signature] = (await tokenOf('ana@x.example')).split('.');
          return bearer(
            `${header}.${encoded({ iss: issuer, aud: audience, email: 'boss@x.example', exp: inAnHour() })}.${signature}`,
          );
        },
      ],
      ['an API key that there is not', () => ({ 'x-api-key': `sgo_${'a'.repeat(43)}` })],
      ['what is no API key', () => ({ 'x-api-key': 'boss' })],
      [
        'a good token beside a bad API key',
        async () => ({ ...bearer(await tokenOf('boss@x.example')), 'x-api-key': 'boss' }),
      ],
    ];

  test.each(cases)('%s', async (_, credentials) => {
    const headers = await credentials();
    for (const [method, path, body] of [
      ['GET', '/conversations', undefined],
      ['POST', '/conversations', { message: 'hello' }],
      ['POST', '/a2a', { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }],
      ['GET', '/tasks', undefined],
      ['POST', '/users', { email: 'evil@x.example', name: 'Evil', role: 'SUPER_ADMIN' }],
    ] as const) {
      const { status, text, headers: answered } = await send(method, path, { headers, body });
      expect([path, status]).toEqual([path, 401]);
      if (path === '/a2a') expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
      expect(answered.get('www-authenticate')).toMatch(/^Bearer /);
      expect(text).not.toContain('eyJ');
    }
    const overGrpc = await grpcGet(randomUUID(), headers);
    expect(overGrpc.code).toBe('UNAUTHENTICATED');
  });

  test('what says how to sign in needs nobody to be signed in', async () => {
    for (const path of ['/health', '/docs/json', '/.well-known/agent-card.json'])
      expect([path, (await send('GET', path)).status]).toEqual([path, 200]);
    const card = (await send('GET', '/.well-known/agent-card.json')).json;
    expect(Object.keys(card.securitySchemes).sort()).toEqual(['apiKey', 'bearer']);
  });

  test('a page elsewhere is refused, whatever it brings', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await send('POST', '/conversations', { headers: { ...boss, ...headers }, body: {} })).status).toBe(403);
  });
});

describe('to each their own', () => {
  let ana: Readonly<Record<string, string>>;
  let bob: Readonly<Record<string, string>>;
  let conversation: string;
  let approval: string;

  beforeAll(async () => {
    ana = bearer(await tokenOf('ana@x.example'));
    bob = bearer(await tokenOf('bob@x.example'));
    await model.script({ match: 'pay', calls: [{ name: 'pay' }] });
    const { json } = await send('POST', '/conversations', { headers: ana, body: { message: 'pay' } });
    conversation = json.conversation.id;
    approval = json.result.approval.uuid;
  });

  /** Every way to say or see something of one conversation; `ID` stands for its id, `UUID` for that of its approval. */
  const ways: readonly [method: string, path: string, body?: object][] = [
    ['GET', '/conversations/ID'],
    ['GET', '/conversations/ID/events'],
    ['GET', '/conversations/ID/push'],
    ['GET', `/conversations/ID/blobs/${'a'.repeat(64)}`],
    ['POST', '/conversations/ID/messages', { message: 'hello' }],
    ['POST', '/conversations/ID/cancel', {}],
    ['POST', '/conversations/ID/inputs/UUID', { action: 'decline' }],
    ['POST', '/conversations/ID/standing/UUID/revoke', {}],
    ['GET', '/runs/ID/steps'],
    ['GET', '/conversations/ID/verification'],
    ['GET', '/conversations/ID/export'],
    ['GET', '/conversations/ID?revision=1'],
    ['POST', '/runs/ID/steps/root/cancel', {}],
    ['POST', '/runs/ID/pause', {}],
    ['POST', '/runs/ID/resume', {}],
    ['GET', '/approvals/UUID'],
    ['POST', '/approvals/UUID', { approved: true }],
    ['POST', '/approvals/UUID', { action: 'approve', arguments: { amount: 1 } }],
    ['POST', '/approvals/UUID', { action: 'withdraw' }],
    ['POST', '/approvals/UUID/assign', {}],
    ['POST', '/approvals/UUID/unassign', {}],
    ['POST', '/approvals/UUID/standing', { arguments: 'any' }],
    ['POST', '/approvals/decide', { decisions: [{ uuid: 'UUID', action: 'approve' }] }],
    ['GET', '/approvals?conversation=ID'],
    ['GET', '/tasks/ID'],
    ['POST', '/tasks/ID:cancel', {}],
    ['POST', '/tasks/ID:subscribe', {}],
    ['GET', '/tasks/ID/pushNotificationConfigs'],
    ['POST', '/tasks/ID/pushNotificationConfigs', { url: 'https://a.example/' }],
    ['GET', '/tasks/ID/pushNotificationConfigs/one'],
    ['DELETE', '/tasks/ID/pushNotificationConfigs/one'],
    [
      'POST',
      '/message:send',
      { message: { messageId: 'm', taskId: 'ID', role: 'ROLE_USER', parts: [{ text: 'yes' }] } },
    ],
    [
      'POST',
      '/message:stream',
      { message: { messageId: 'm', taskId: 'ID', role: 'ROLE_USER', parts: [{ text: 'yes' }] } },
    ],
    ...(['GetTask', 'CancelTask', 'SubscribeToTask'] as const).map((method): [string, string, object] => [
      'POST',
      '/a2a',
      { jsonrpc: '2.0', id: 1, method, params: { id: 'ID' } },
    ]),
    ...(['tasks/get', 'tasks/cancel', 'tasks/resubscribe'] as const).map((method): [string, string, object] => [
      'POST',
      '/a2a/v1',
      { jsonrpc: '2.0', id: 1, method, params: { id: 'ID' } },
    ]),
  ];

  test.each(ways)('%s %s of somebody else is answered as if it were not there', async (method, path, body) => {
    const asked = async (id: string, uuid: string) => {
      const at = path.replaceAll('UUID', uuid).replaceAll('ID', id);
      const written = JSON.stringify(body)?.replaceAll('"ID"', `"${id}"`).replaceAll('"UUID"', `"${uuid}"`);
      const sent = written === undefined ? undefined : JSON.parse(written);
      const { status, text } = await send(method, at, { headers: bob, body: sent });
      return { status, text: text.replaceAll(id, 'the id').replaceAll(uuid, 'the uuid') };
    };
    const theirs = await asked(conversation, approval);
    expect(theirs).toEqual(await asked(randomUUID(), randomUUID()));
    expect(theirs.text).not.toContain('pay');
  });

  test('no route is left out of these', async () => {
    const { endpoints } = (await send('GET', '/docs/json')).json as {
      readonly endpoints: readonly { readonly method: string; readonly path: string }[];
    };
    const isOfSome = /^\/(?:conversations|approvals|runs)\//;
    // A count, and a stream, of what each may see (inbox.test.ts, inbox-events.test.ts).
    const ofAll = ['GET /approvals/counts', 'GET /approvals/events'];
    const all = endpoints.filter(({ path }) => isOfSome.test(path)).map(({ method, path }) => `${method} ${path}`);
    const tried = ways.map(([method, path]) => `${method} ${path}`);
    const isTried = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
      return tried.some((one) => pattern.test(one));
    };
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter((route) => !isTried(route) && !ofAll.includes(route))).toEqual([]);
  });

  test('nor over gRPC', async () => {
    const theirs = await grpcGet(conversation, bob);
    const nobodys = await grpcGet(randomUUID(), bob);
    expect([theirs.code, nobodys.code]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect((await grpcGet(conversation, ana)).code).toBe('ok');
  });

  test('nor in any list or count, and administrators see all', async () => {
    const lists = ['/conversations', '/conversations?q=pay', '/conversations?include=messages', '/approvals', '/tasks'];
    for (const path of lists) {
      expect([path, (await send('GET', path, { headers: bob })).text]).toEqual([
        path,
        expect.not.stringContaining(conversation),
      ]);
      for (const headers of [ana, boss])
        expect([path, (await send('GET', path, { headers })).text]).toEqual([
          path,
          expect.stringContaining(conversation),
        ]);
    }
    const { json } = await send('GET', '/conversations', { headers: bob });
    expect(json.summary).toMatchObject({ total: 0, waiting_approval: 0 });
    expect((await send('GET', '/tasks', { headers: bob })).json.totalSize).toBe(0);
    const counted = async (headers: typeof bob) => (await send('GET', '/approvals/counts', { headers })).json.counts;
    expect(await counted(bob)).toEqual({ waiting: 0, may_decide: 0, overdue: 0, assigned_to_me: 0 });
    for (const headers of [ana, boss])
      expect(await counted(headers)).toMatchObject({
        ...{ waiting: expect.toSatisfy((n: number) => n > 0), may_decide: expect.toSatisfy((n: number) => n > 0) },
      });
  });

  test('who decides is on the record under their own name', async () => {
    forwarded = [];
    const headers = { ...ana, 'x-tool-authorization': 'Bearer for-the-tool', 'x-approver': 'ana@x.example' };
    const decided = await send('POST', `/approvals/${approval}`, { headers, body: { approved: true } });
    expect(decided.status).toBe(200);
    const { json } = await send('GET', `/approvals/${approval}`, { headers: ana });
    expect(json.approval.decided_by_identity).toEqual({ name: 'ana@x.example', claimed: false });
    // What signed her in went no further.
    expect(forwarded).toEqual(['Bearer for-the-tool']);
  });

  test('a USER manages no users, and sees only themselves', async () => {
    const me = (await send('GET', '/me', { headers: ana })).json.user.id;
    const other = (await send('GET', '/me', { headers: bob })).json.user.id;
    const person = { email: 'eve@x.example', name: 'Eve', role: 'ADMIN' };
    for (const [method, path, body, status] of [
      ['GET', '/users', undefined, 403],
      ['POST', '/users', person, 403],
      ['PATCH', `/users/${me}`, { role: 'SUPER_ADMIN' }, 403],
      ['PATCH', `/users/${other}`, { active: false }, 403],
      ['GET', `/users/${me}`, undefined, 200],
      ['GET', `/users/${other}`, undefined, 404],
      ['GET', `/users/${other}/keys`, undefined, 404],
      ['POST', `/users/${other}/keys`, { name: 'mine' }, 404],
      ['POST', '/tools/accept', { tools: [{ server: 'bank', name: 'pay', pin: 'x' }] }, 403],
    ] as const)
      expect([method, path, (await send(method, path, { headers: ana, body })).status]).toEqual([method, path, status]);
  });
});

test('a user who is deactivated is refused at once, whatever their token and keys say', async () => {
  const carl = bearer(await tokenOf('carl@x.example'));
  const { id } = (await send('GET', '/me', { headers: carl })).json.user;
  const made = await send('POST', `/users/${id}/keys`, { headers: carl, body: { name: 'mine' } });
  const key = { 'x-api-key': made.json.key.text as string };
  expect((await send('GET', '/conversations', { headers: key })).status).toBe(200);
  expect((await send('PATCH', `/users/${id}`, { headers: boss, body: { active: false } })).status).toBe(200);
  for (const headers of [carl, key]) expect((await send('GET', '/conversations', { headers })).status).toBe(401);
  expect((await send('PATCH', `/users/${id}`, { headers: boss, body: { active: true } })).status).toBe(200);
  for (const headers of [carl, key]) expect((await send('GET', '/conversations', { headers })).status).toBe(200);
});
