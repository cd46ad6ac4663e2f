import { DomainError, type ErrorKind, unavailable } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { ID, settled, storeOf, TurnOutcome, waiting } from './support/views.ts';

const TOKEN = 'eyJhbGciOi.secret-token.value';
const turn = { outcome: TurnOutcome.SETTLED, view: settled('done') };
const script = { orchestrator: { sendMessage: async () => ({ turn }) }, store: storeOf(turn.view) };

describe('sessions', () => {
  const PATHS = [
    ['GET', `/conversations/${ID}`, ''],
    ['GET', `/conversations/${ID}`, 'return=minimal'],
    ['GET', `/conversations/${ID}/push`, ''],
    ['POST', `/conversations/${ID}/messages`, ''],
    ['POST', '/message:send', ''],
  ] as const;
  const bodyFor = (method: string, path: string) => {
    if (path === '/message:send')
      return { message: { messageId: 'm', taskId: ID, role: 'ROLE_USER', parts: [{ text: 'x' }] } };
    return method === 'POST' ? { message: 'x' } : '';
  };
  const waits = waiting();
  const sessions = {
    orchestrator: {
      sendMessage: async () => ({ turn }),
      createConversation: async () => ({
        turn: { outcome: TurnOutcome.SETTLED, view: settled('done', { sessionId: '' }) },
      }),
    },
    approvals: { resolve: async () => ({ turn }) },
    store: { ...storeOf(waits), getPush: async () => ({}) },
  };

  test.each(PATHS)(
    '%s %s names its session, which is echoed, goes to the services and is logged',
    async (method, path, prefer) => {
      const { send, calls, lines } = await gateway(sessions);
      const headers = { 'X-Session-ID': 'web:a.b-c_9', Prefer: prefer };
      const { headers: got } = await send(method, path, { headers, body: bodyFor(method, path) });
      expect(got['x-session-id']).toBe('web:a.b-c_9');
      expect(new Set(calls.map(({ context }) => context.sessionId))).toEqual(new Set(['web:a.b-c_9']));
      await expect.poll(() => lines.join('')).toContain('sid=web:a.b-c_9');
    },
  );

  test.each(PATHS)('%s %s names no session: it stays in that of its conversation', async (method, path, prefer) => {
    const { send, calls, lines } = await gateway(sessions);
    const headers = { Prefer: prefer };
    const { headers: got } = await send(method, path, { headers, body: bodyFor(method, path) });
    expect(got['x-session-id']).toBe('s-1');
    expect(calls.length).toBeGreaterThan(0);
    expect(new Set(calls.map(({ context }) => context.sessionId))).toEqual(new Set([undefined]));
    await expect.poll(() => lines.join('')).toContain('sid=s-1');
  });

  test('what makes a conversation, or is about none, has a new session', async () => {
    const { send, calls } = await gateway(sessions);
    const made = await send('POST', '/conversations', { body: { message: 'x' } });
    expect(made.headers['x-session-id']).toMatch(/^[0-9a-f]{8}$/);
    expect(calls[0]?.context.sessionId).toBe(made.headers['x-session-id']);
    const health = await send('GET', '/health');
    expect(health.headers['x-session-id']).toMatch(/^[0-9a-f]{8}$/);
    expect(health.headers['x-session-id']).not.toBe(made.headers['x-session-id']);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a/b', 'é', 'a,b'])('"%s" is 400, with an id of its own', async (id) => {
    const { send, lines } = await gateway({});
    const { status, json, headers } = await send('GET', '/health', { headers: { 'X-Session-ID': id } });
    expect(status).toBe(400);
    expect(json.error).toContain('X-Session-ID');
    expect(headers['x-session-id']).toMatch(/^[0-9a-f]{8}$/);
    await expect.poll(() => lines.join('')).toContain(`sid=${headers['x-session-id']}`);
  });
});

describe('the request log', () => {
  test('has one line per request: time, status, latency, method, path, session, level, conversation', async () => {
    const { send, lines } = await gateway(script);
    const headers = { 'X-Session-ID': 'my-session', Authorization: `Bearer ${TOKEN}` };
    await send('POST', `/conversations/${ID}/messages?token=${TOKEN}`, { body: { message: 'x' }, headers });
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toMatch(
      new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d \\| 200 \\| \\d+\\.\\dms \\| POST \\| /conversations/${ID}/messages \\| sid=my-session \\| INFO \\| conversation=${ID}\\n$`,
      ),
    );
  });

  test('has a line for refused and unknown requests too, and none can forge another', async () => {
    const { send, lines } = await gateway({});
    await send('GET', '/x%0d%0a12:00:00%20|%20200');
    await send('POST', '/health', { headers: { Origin: 'https://evil.example' } });
    await send('GET', '/health', { headers: { 'X-Session-ID': 'no good' } });
    await expect.poll(() => lines.length).toBe(3);
    expect(lines.map((line) => line.split(' | ')[1])).toEqual(['404', '403', '400']);
    for (const line of lines) expect(line).toMatch(/ \| sid=[0-9a-f]{8} \| INFO\n$/);
  });
});

test('a bearer token goes to the services and nowhere else', async () => {
  const { send, calls, lines } = await gateway({
    orchestrator: {
      sendMessage: async () => {
        throw new Error(`model says: bad key Bearer ${TOKEN}`);
      },
    },
  });
  const headers = { Authorization: `bearer ${TOKEN}` };
  const reply = await send('POST', `/conversations/${ID}/messages`, { body: { message: 'x' }, headers });
  expect(reply.status).toBe(500);
  expect(calls[0]?.context.bearerToken?.reveal()).toBe(TOKEN);
  await expect.poll(() => lines.length).toBe(2);
  expect(lines.join('') + reply.text + JSON.stringify(reply.headers)).not.toContain(TOKEN);
  await send('POST', `/conversations/${ID}/messages`, {
    body: { message: 'x' },
    headers: { Authorization: 'Basic abc' },
  });
  expect(calls[1]?.context.bearerToken).toBeUndefined();
});

describe('routes', () => {
  test('what is not there is 404 in JSON, a known path with another method 405 with what is allowed', async () => {
    const { send } = await gateway({});
    const missing = await send('GET', '/x?secret=1');
    expect({ status: missing.status, json: missing.json }).toEqual({ status: 404, json: { error: 'Cannot GET /x' } });
    expect((await send('DELETE', '/nowhere')).json).toEqual({ error: 'Cannot DELETE /nowhere' });
    for (const [method, path, allow] of [
      ['POST', '/health', 'GET, HEAD'],
      ['PUT', '/conversations', 'GET, HEAD, POST'],
      ['DELETE', `/conversations/${ID}`, 'GET, HEAD'],
      ['GET', `/conversations/${ID}/messages`, 'POST'],
      ['HEAD', `/conversations/${ID}/cancel`, 'POST'],
    ] as const) {
      const { status, headers } = await send(method, path);
      expect(status, path).toBe(405);
      expect(headers.allow?.split(', ').sort(), path).toEqual(allow.split(', ').sort());
    }
    expect((await send('OPTIONS', '/tools')).headers.allow).toBe('GET, HEAD');
  });

  test('answers carry the security headers and do not say what serves them', async () => {
    const { send } = await gateway({});
    for (const path of ['/health', '/nothing']) {
      const { headers } = await send('GET', path);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('etag');
    }
    expect((await send('GET', '/health')).json).toEqual({ status: 'ok' });
  });

  test.each([
    ['that nothing can be recorded', async () => ({ problem: 'the disk is full' }), 'the disk is full'],
    ['that all is well', async () => ({ problem: '' }), undefined],
    ['nothing', () => new Promise<never>(() => undefined), undefined],
    ['that it is stopping', () => Promise.reject(unavailable('stopping')), undefined],
  ])('a health check is answered with 200 where a store says %s', async (_, getCondition, reason) => {
    const { send } = await gateway({ store: { getCondition } });
    const { status, json } = await send('GET', '/health');
    expect([status, json]).toEqual([200, reason === undefined ? { status: 'ok' } : { status: 'degraded', reason }]);
  });

  test('/docs/json describes exactly the routes that there are', async () => {
    const { send } = await gateway({});
    const { json } = await send('GET', '/docs/json');
    expect(json).toMatchObject({ title: 'Agent Stop and Go API', version: '1.0.0' });
    expect(json.description).toContain('tester');
    for (const { method, path, summary, description, responses } of json.endpoints) {
      expect(`${summary}${description}`).not.toBe('');
      expect(Object.keys(responses).length).toBeGreaterThan(0);
      const asked = await send('OPTIONS', path.replaceAll(/:\w+/g, 'not-an-id'));
      expect([asked.status, asked.headers.allow], `${method} ${path}`).toEqual([204, expect.stringContaining(method)]);
    }
    expect(json.endpoints.map((one: { method: string; path: string }) => `${one.method} ${one.path}`).sort()).toEqual([
      'DELETE /agents/*name/memories/:key',
      'DELETE /connections/:server',
      'DELETE /repositories/:name',
      'DELETE /users/:user/keys/:key',
      ...['', '/*name', '/*name/diff', '/*name/history'].map((rest) => `GET /agents${rest}`),
      ...['', '/:key'].map((rest) => `GET /agents/*name/memories${rest}`),
      'GET /alarms',
      ...['', '/:uuid', '/counts', '/events'].map((rest) => `GET /approvals${rest}`),
      ...['', '/callback'].map((rest) => `GET /connections${rest}`),
      ...['', '/:id', '/:id/blobs/:digest', '/:id/events', '/:id/export', '/:id/push', '/:id/verification'].map(
        (rest) => `GET /conversations${rest}`,
      ),
      ...['docs', 'docs/json', 'health', 'inputs', 'mcp/servers', 'me', 'openapi.json'].map((rest) => `GET /${rest}`),
      ...['repositories', 'repositories/:name/branches', 'runs/:id/steps'].map((rest) => `GET /${rest}`),
      ...['', '/held'].map((rest) => `GET /tools${rest}`),
      ...['users', 'users/:user', 'users/:user/keys', 'waits'].map((rest) => `GET /${rest}`),
      ...['repositories/:name', 'users/:user'].map((rest) => `PATCH /${rest}`),
      ...['', '/assign', '/standing', '/unassign'].map((rest) => `POST /approvals/:uuid${rest}`),
      'POST /approvals/decide',
      ...['', '/:server'].map((rest) => `POST /connections${rest}`),
      'POST /conversations',
      'POST /conversations/:id/cancel',
      'POST /conversations/:id/inputs/:input',
      'POST /conversations/:id/messages',
      'POST /conversations/:id/standing/:standing/revoke',
      ...['', '/:name/sync', '/:name/webhook'].map((rest) => `POST /repositories${rest}`),
      ...['pause', 'resume', 'steps/:step/cancel'].map((what) => `POST /runs/:id/${what}`),
      'POST /tools/accept',
      ...['', '/:user/keys'].map((rest) => `POST /users${rest}`),
      'PUT /agents/*name/memories/:key',
    ]);
  });

  test('/tools shows schemas and annotations as they are, and of each tool whether it is destructive', async () => {
    const schema = '{"type":"object","properties":{"value":{"type":"integer","maximum":9007199254740993}}}';
    const { send } = await gateway({
      bridge: {
        listTools: async () => ({
          tools: [
            {
              server: 'resources',
              name: 'add',
              description: 'Adds',
              inputSchemaJson: schema,
              annotationsJson: '{"destructiveHint":true,"title":"Add"}',
              hints: { destructive: true },
              approvalRequired: true,
            },
            { name: 'list', description: 'Lists', inputSchemaJson: 'broken', hints: { readOnly: true } },
          ],
        }),
      },
    });
    const { text, json } = await send('GET', '/tools');
    expect(text).toContain(`"inputSchema":${schema}`);
    expect(json.tools[0]).toMatchObject({
      name: 'add',
      description: 'Adds',
      destructiveHint: true,
      approval: 'require',
      annotations: { destructiveHint: true, title: 'Add' },
      server: 'resources',
    });
    expect(json.tools[1]).toEqual({
      name: 'list',
      description: 'Lists',
      inputSchema: { type: 'object' },
      destructiveHint: false,
    });
    const none = await gateway({ bridge: { listTools: async () => ({}) } });
    expect((await none.send('GET', '/tools')).json).toEqual({ tools: [] });
  });

  test('/tools shows agents as models know them: of no server, and destructive if they are marked so', async () => {
    const bank = { name: 'bank', url: 'http://b/', description: 'Pays.', destructive: true, forwardsBearer: false };
    const { send } = await gateway(
      { bridge: { listTools: async () => ({ tools: [{ name: 'list' }] }) } },
      { remoteAgents: [bank, { ...bank, name: 'desk', description: '', destructive: false }] },
    );
    const { json, text } = await send('GET', '/tools');
    expect(json.tools.map(({ name }: { name: string }) => name)).toEqual(['list', 'a2a_bank', 'a2a_desk']);
    expect(json.tools[1]).toEqual({
      name: 'a2a_bank',
      description: "Delegate task to A2A agent 'bank'. Pays.",
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string', description: 'The message/task to send to the agent' } },
        required: ['message'],
      },
      destructiveHint: true,
    });
    expect(json.tools[2]).toMatchObject({ destructiveHint: false });
    expect(text).not.toContain('http://b/');
  });

  test('/tools and the card show agents with the words that models are told, which orchestrators know', async () => {
    const desk = { name: 'desk', url: 'http://d/', description: '', destructive: false, forwardsBearer: false };
    const told = {
      name: 'a2a_desk',
      description: "Delegate task to A2A agent 'desk'. Files papers.",
      inputSchemaJson: '{}',
    };
    const { send } = await gateway(
      {
        bridge: { listTools: async () => ({ tools: [{ name: 'list', description: 'Lists' }] }) },
        orchestrator: { listAgents: async () => ({ agents: [told] }) },
      },
      { remoteAgents: [desk] },
    );
    expect((await send('GET', '/tools')).json.tools[1]).toMatchObject({
      name: told.name,
      description: told.description,
    });
    const { skills } = (await send('GET', '/.well-known/agent-card.json')).json;
    expect(skills).toMatchObject([
      { id: 'list', description: 'Lists' },
      { id: 'a2a_desk', name: 'a2a_desk', description: told.description },
    ]);
  });
});

test('everything asks for permission first; a refusal is 403 and reaches no service', async () => {
  const asked: string[] = [];
  const { send, calls } = await gateway(
    {},
    {
      authorize: (principal, action, resource) => {
        asked.push(`${principal.kind} ${action} ${resource.kind} ${resource.id ?? '-'}`);
        return false;
      },
    },
  );
  const { json } = await send('GET', '/docs/json');
  expect(json).toEqual({ error: 'not allowed: docs.read on service' });
  const routes: readonly (readonly [string, string, object?])[] = [
    ['GET', '/health'],
    ['GET', '/tools'],
    ['GET', '/mcp/servers'],
    ['GET', '/conversations'],
    ['POST', '/conversations', { message: 'x' }],
    ['GET', `/conversations/${ID}`],
    ['GET', `/conversations/${ID}/events`],
    ['POST', `/conversations/${ID}/messages`, { message: 'x' }],
    ['POST', `/conversations/${ID}/cancel`, {}],
    ['GET', '/approvals'],
    ['GET', '/approvals/counts'],
    ['GET', '/approvals/events'],
    ['GET', `/approvals/${ID}`],
    ['POST', `/approvals/${ID}`, { approved: true }],
    ['POST', `/approvals/${ID}/assign`, { to: 'me' }],
    ['POST', `/approvals/${ID}/unassign`, {}],
  ];
  for (const [method, path, body = ''] of routes) {
    expect((await send(method, path, { body })).status, path).toBe(403);
  }
  expect(calls).toEqual([]);
  expect(asked).toEqual([
    'anonymous docs.read service -',
    'anonymous health.read service -',
    'anonymous tools.list tools -',
    'anonymous servers.list tools -',
    'anonymous conversation.list conversation -',
    'anonymous conversation.create conversation -',
    `anonymous conversation.read conversation ${ID}`,
    `anonymous conversation.follow conversation ${ID}`,
    `anonymous message.send conversation ${ID}`,
    `anonymous run.cancel conversation ${ID}`,
    ...Array(3).fill('anonymous approval.list approval -'),
    `anonymous approval.read approval ${ID}`,
    ...Array(3).fill(`anonymous approval.resolve approval ${ID}`),
  ]);
});

describe('errors of the services', () => {
  const STATUS: Readonly<Record<ErrorKind, number>> = {
    invalid_argument: 400,
    unauthenticated: 503,
    permission_denied: 403,
    not_found: 404,
    conflict: 409,
    failed_precondition: 409,
    resource_exhausted: 429,
    internal: 500,
    data_loss: 500,
    unimplemented: 501,
    unavailable: 503,
    canceled: 503,
    deadline_exceeded: 504,
  };
  test.each(Object.entries(STATUS))('%s is %i', async (kind, expected) => {
    const { send, lines } = await gateway({
      bridge: {
        listTools: async () => {
          throw new DomainError(kind as ErrorKind, 'the text', {
            details: { limit: '5', error: 'no', error_id: 'e-1' },
            retryAfterMs: 2_500,
          });
        },
      },
    });
    const { status, json, headers } = await send('GET', '/tools');
    expect(status).toBe(expected);
    expect(headers['retry-after']).toBe([429, 503, 504].includes(expected) ? '3' : undefined);
    if (expected !== 500) {
      const unknown =
        '; whether this took effect is unknown: read the conversation, or repeat the request with the same Idempotency-Key';
      expect(json).toEqual({ error: `the text${expected === 504 ? unknown : ''}`, limit: '5', error_id: 'e-1' });
      return;
    }
    expect(json).toEqual({ error: 'internal error e-1; the log has the cause', error_id: 'e-1' });
    expect(lines.join('')).toContain('e-1');
  });

  test('an answer against the contract is 500 with an id that the log explains', async () => {
    const { send, lines } = await gateway({ store: { getConversation: async () => ({}) } });
    const { status, json } = await send('GET', `/conversations/${ID}`);
    expect(status).toBe(500);
    expect(json).toEqual({
      error: `internal error ${json.error_id}; the log has the cause`,
      error_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(lines.join('')).toMatch(new RegExp(`${json.error_id}.*without the head`));
  });
});
