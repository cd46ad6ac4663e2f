import { invalidArgument, notFound } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { fresh, ID, storeOf } from './support/views.ts';

/** What peers get wrong is told them in the words of the protocol, and reaches no service. */
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const rpc = (method: string, params: object) => ({ body: { jsonrpc: '2.0', id: 1, method, params } });

describe('an agent of another tenant is not here', () => {
  test.each([
    ['POST', '/acme/message:send', { body: { message } }],
    ['POST', '/acme/message:stream', { body: { message } }],
    ['GET', '/acme/tasks', undefined],
    ['GET', `/acme/tasks/${ID}`, undefined],
    ['POST', `/acme/tasks/${ID}:cancel`, { body: {} }],
    ['GET', `/acme/tasks/${ID}:subscribe`, undefined],
    ['POST', `/acme/tasks/${ID}:subscribe`, undefined],
    ['GET', '/acme/extendedAgentCard', undefined],
    ['GET', `/acme/tasks/${ID}/pushNotificationConfigs`, undefined],
    ['POST', `/acme/tasks/${ID}/pushNotificationConfigs`, { body: { url: 'https://example.com/hook' } }],
    ['POST', `/tasks/${ID}:cancel`, { body: { tenant: 'acme' } }],
    ['POST', `/tasks/${ID}:subscribe`, { body: { tenant: 'acme' } }],
    ['GET', '/a2a/tasks', undefined],
    ['GET', '/..%2f..%2fv1/tasks', undefined],
    ['GET', `/tasks/${ID}?tenant=acme`, undefined],
    ['GET', '/tasks?tenant=acme', undefined],
    ['POST', '/message:send', { body: { tenant: 'acme', message } }],
    ['GET', '/v1/tasks?tenant=acme', undefined],
    ['GET', '/v1/card?tenant=acme', undefined],
  ] as const)('%s %s', async (method, path, sent) => {
    const { send, calls } = await gateway({});
    const { status, json } = await send(method, path, sent);
    expect(status).toBe(400);
    expect((json.error ?? json).message).toContain('no such tenant');
    expect(calls).toEqual([]);
  });

  test.each([
    ['SendMessage', { tenant: 'acme', message }],
    ['SendStreamingMessage', { tenant: 'acme', message }],
    ['GetTask', { tenant: 'acme', id: ID }],
    ['ListTasks', { tenant: 'acme' }],
    ['CancelTask', { tenant: 'acme', id: ID }],
    ['SubscribeToTask', { tenant: 'acme', id: ID }],
    ['CreateTaskPushNotificationConfig', { tenant: 'acme', taskId: ID, url: 'https://example.com/hook' }],
    ['ListTaskPushNotificationConfigs', { tenant: 'acme', taskId: ID }],
    ['GetExtendedAgentCard', { tenant: 'acme' }],
  ])('%s', async (method, params) => {
    const { send, calls } = await gateway({});
    const { json } = await send('POST', '/a2a', rpc(method, params));
    expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining('no such tenant') });
    expect(calls).toEqual([]);
  });
});

describe('an id that is none is a task that is not there', () => {
  const ids = ['..', '../../approvals', '%2e%2e', `${ID}\u0000`, `${ID}/../x`, 'x'.repeat(5_000), '__proto__', ' '];

  test.each(ids)('%j', async (id) => {
    const { send, calls } = await gateway({});
    const path = encodeURIComponent(id).replaceAll('.', '%2e');
    for (const [method, rest, json] of [
      ['GET', `/tasks/${path}`, 'error'],
      ['POST', `/tasks/${path}:cancel`, 'error'],
      ['GET', `/v1/tasks/${path}`, ''],
    ] as const) {
      const answer = await send(method, rest, method === 'POST' ? { body: {} } : undefined);
      expect([answer.status, (json === '' ? answer.json : answer.json.error).message]).toEqual([
        404,
        expect.stringContaining('Task not found'),
      ]);
    }
    for (const [method, params] of [
      ['GetTask', { id }],
      ['CancelTask', { id }],
      ['tasks/get', { id }],
      ['SendMessage', { message: { ...message, taskId: id } }],
    ] as const) {
      const { json } = await send('POST', '/a2a/v1', rpc(method, params));
      expect(json.error, method).toMatchObject({ code: -32001 });
    }
    expect(calls).toEqual([]);
  });

  test('of a path that cannot be read, too', async () => {
    const { send, calls } = await gateway({});
    for (const path of ['/tasks/%ZZ', '/v1/tasks/%c0%af', '/tasks/%ff:cancel']) {
      const { status, json } = await send(path.endsWith('cancel') ? 'POST' : 'GET', path);
      expect([status, (json.error ?? json).message], path).toEqual([400, expect.any(String)]);
    }
    for (const path of [`/tasks/${ID}/x/y`, '/v1/nothing', '/acme/tasks/x/y/z']) {
      const { status, json } = await send('GET', path);
      expect([status, (json.error ?? json).message], path).toEqual([404, `Cannot GET ${path}`]);
    }
    expect((await send('GET', '/nothing')).json).toEqual({ error: 'Cannot GET /nothing' });
    expect(calls).toEqual([]);
  });
});

describe('a list', () => {
  const listing = (conversations: views.ConversationView[] = []) => ({
    store: {
      ...storeOf(fresh()),
      listByChange: async ({ cursor }: { cursor: string }) => {
        if (cursor === 'stale') throw invalidArgument('the cursor is not one that this list gave');
        return { conversations, nextCursor: 'next', matching: 7 };
      },
    },
  });

  test('is selected, ordered and counted by the store', async () => {
    const { send, calls } = await gateway(listing([fresh()]));
    const query =
      'contextId=ours&status=input-required&pageSize=3&pageToken=last&statusTimestampAfter=2026-01-02T03:04:05Z';
    const { json } = await send('GET', `/tasks?${query}`);
    expect(json).toMatchObject({
      nextPageToken: 'next',
      pageSize: 3,
      totalSize: 7,
      tasks: [{ id: ID, contextId: ID }],
    });
    expect(json.tasks[0].metadata).toEqual({ revision: 1, sessionId: 's-1' });
    expect(calls.find(({ method }) => method === 'listByChange')?.request).toMatchObject({
      contextId: 'ours',
      principal: 'anonymous',
      standing: views.Standing.WAITING,
      limit: 3,
      cursor: 'last',
      changedSince: { seconds: BigInt(Date.UTC(2026, 0, 2, 3, 4, 5) / 1_000) },
    });
  });

  test.each([
    ['SUBMITTED', views.Standing.NEW],
    ['WORKING', views.Standing.WORKING],
    ['AUTH_REQUIRED', views.Standing.WAITING_FOR_TOKEN],
    ['COMPLETED', views.Standing.COMPLETED],
    ['FAILED', views.Standing.FAILED],
    ['CANCELED', views.Standing.CANCELED],
    ['UNSPECIFIED', views.Standing.UNSPECIFIED],
  ])('of state %s is one of conversations that stand so', async (state, standing) => {
    const { send, calls } = await gateway(listing());
    await send('POST', '/a2a', rpc('ListTasks', { status: `TASK_STATE_${state}` }));
    expect(calls.find(({ method }) => method === 'listByChange')?.request).toMatchObject({ standing });
  });

  test('of a state that no task is ever in is empty', async () => {
    const { send, calls } = await gateway(listing());
    const { json } = await send('GET', '/tasks?status=rejected');
    expect(json).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    expect(calls).toEqual([]);
  });

  test.each([
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['pageSize=many', 'pageSize'],
    ['pageToken=stale', 'pageToken'],
    [`pageToken=${'x'.repeat(600)}`, 'pageToken'],
    ['historyLength=-1', 'historyLength'],
    ['statusTimestampAfter=yesterday', 'statusTimestampAfter'],
    ['status=asleep', 'status'],
  ])('asked for with %s is refused by name', async (query, name) => {
    const { send } = await gateway(listing());
    for (const path of ['/tasks', '/v1/tasks']) {
      const { status, json } = await send('GET', `${path}?${query}`);
      expect([status, (json.error ?? json).message]).toEqual([400, expect.stringContaining(name)]);
    }
  });
});

describe('the extended card', () => {
  test.each([
    ['GET', '/extendedAgentCard', undefined, 'UNSUPPORTED_OPERATION'],
    ['POST', '/a2a', rpc('GetExtendedAgentCard', {}), -32004],
    ['GET', '/v1/card', undefined, -32007],
    ['POST', '/a2a', rpc('agent/getAuthenticatedExtendedCard', {}), -32007],
  ] as const)('that is not configured is not there: %s %s', async (method, path, sent, error) => {
    const { send } = await gateway({ bridge: { listTools: async () => ({ tools: [] }) } });
    const { status, json } = await send(method, path, sent);
    expect(status).toBe(method === 'GET' ? 400 : 200);
    expect(json.error?.details?.[0]?.reason ?? json.error?.code ?? json.code).toBe(error);
  });

  test('is asked about by its own name', async () => {
    const asked: string[] = [];
    const authorize = (_principal: unknown, action: string) => {
      asked.push(action);
      return action !== 'card.read_extended';
    };
    const { send } = await gateway({}, { authorize, a2aExtendedCard: { skills: [] } });
    const modern = await send('GET', '/extendedAgentCard');
    expect([modern.status, modern.json]).toEqual([
      403,
      {
        error: { code: 403, status: 'PERMISSION_DENIED', message: expect.stringContaining('not allowed'), details: [] },
      },
    ]);
    const older = await send('GET', '/v1/card');
    expect([older.status, older.json]).toMatchObject([
      403,
      { status: 'PERMISSION_DENIED', message: expect.any(String) },
    ]);
    expect(asked).toEqual(['card.read_extended', 'card.read_extended']);
  });
});

describe('a peer that does not name what is required', () => {
  const legacy = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };

  test.each([
    ['POST', '/message:send', { body: { message } }],
    ['POST', '/message:stream', { body: { message } }],
    ['GET', '/tasks', undefined],
    ['GET', `/v1/tasks/${ID}`, undefined],
    ['POST', '/a2a', rpc('SendMessage', { message })],
    ['POST', '/a2a', rpc('SubscribeToTask', { id: ID })],
    ['POST', '/a2a', rpc('tasks/cancel', { id: ID })],
    ['POST', '/a2a', rpc('message/send', { message: legacy })],
  ] as const)('is told it, and reaches no service: %s %s', async (method, path, sent) => {
    const { send, calls } = await gateway({}, { a2aRequiredExtensions: ['urn:example:receipts'] });
    expect((await send(method, path, sent)).text).toContain('requires the extension urn:example:receipts');
    expect(calls).toEqual([]);
  });
});

describe('a message that says it is the agent that speaks', () => {
  const v03 = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'approved' }] };
  const asAgent = { ...message, role: 'ROLE_AGENT' };

  test.each([
    ['/message:send', { message: asAgent }],
    ['/message:stream', { message: { ...asAgent, taskId: ID } }],
    ['/v1/message:send', { request: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'hello' }] } }],
    ['/a2a', rpc('SendMessage', { message: asAgent }).body],
    ['/a2a', rpc('SendStreamingMessage', { message: asAgent }).body],
    ['/a2a', rpc('message/send', { message: v03 }).body],
    ['/a2a/v1', rpc('message/stream', { message: { ...v03, taskId: ID } }).body],
  ])('at %s is refused, and reaches no service', async (path, body) => {
    const { send, calls } = await gateway({ bridge: { listTools: async () => ({ tools: [] }) } });
    const { status, text } = await send('POST', path, { body });
    expect([status, text]).toEqual([path.startsWith('/a2a') ? 200 : 400, expect.stringContaining('message.role')]);
    expect(calls.filter(({ method }) => method !== 'listTools')).toEqual([]);
  });
});

describe('a message that does not say who speaks', () => {
  const { role: _, ...nobodys } = { ...message };
  const v03 = { kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'hello' }] };
  const restV03 = { messageId: 'm', content: [{ text: 'hello' }] };
  const roles = [{}, { role: null }, { role: '' }, { role: 'ROLE_UNSPECIFIED' }, { role: 'ROLE_ROOT' }, { role: 7 }];

  test.each([
    ['/message:send', (role: object) => ({ message: { ...nobodys, ...role } })],
    ['/message:stream', (role: object) => ({ message: { ...nobodys, ...role } })],
    ['/v1/message:send', (role: object) => ({ request: { ...restV03, ...role } })],
    ['/v1/message:stream', (role: object) => ({ message: { ...restV03, ...role, taskId: ID } })],
    ['/a2a', (role: object) => rpc('SendMessage', { message: { ...nobodys, ...role } }).body],
    ['/a2a', (role: object) => rpc('SendStreamingMessage', { message: { ...nobodys, ...role, taskId: ID } }).body],
    ['/a2a/v1', (role: object) => rpc('message/send', { message: { ...v03, ...role } }).body],
    ['/a2a/v1', (role: object) => rpc('message/stream', { message: { ...v03, ...role, taskId: ID } }).body],
  ])('at %s is refused by the name of what is missing, and reaches no service', async (path, body) => {
    const { send, calls } = await gateway({ bridge: { listTools: async () => ({ tools: [] }) } });
    for (const role of roles) {
      const { status, text } = await send('POST', path, { body: body(role) });
      const [httpStatus, code] = path.startsWith('/a2a') ? [200, '-32602'] : [400, ''];
      expect([status, text], JSON.stringify(role)).toEqual([httpStatus, expect.stringContaining('message.role')]);
      expect(text).toContain(code);
    }
    expect(calls.filter(({ method }) => method !== 'listTools')).toEqual([]);
  });
});

test.each([
  ['/a2a', -32602],
  ['/a2a/v1', -32001],
  ['/', -32001],
])(
  'whoever asks at %s for a task that is not there is told so as peers of that address expect it',
  async (path, code) => {
    for (const known of [ID, 'none']) {
      const { send } = await gateway({
        store: {
          readStream: async () => ({ events: [] }),
          getConversation: async () => {
            throw notFound('there is none');
          },
        },
      });
      const { json } = await send('POST', path, rpc('tasks/get', { id: known }));
      expect(json.error).toMatchObject({ code, message: `Task not found: ${known}` });
    }
  },
);
