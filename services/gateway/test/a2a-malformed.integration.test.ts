import { visibleText } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { ID } from './support/views.ts';

/** What cannot be read is told in the dialect of the request, under its id, by name, and reaches no service. */
const quiet = {
  bridge: { listTools: async () => ({ tools: [] }) },
  store: { readStream: async () => ({ events: [] }) },
};
/** Reading the card, or the dialect of a task, changes nothing. */
const isMore = ({ method }: { readonly method: string }) => method !== 'listTools' && method !== 'readStream';
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'r-7', method, params });
const v10 = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const v03 = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
const legacy = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
const restV03 = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] };

/** The error in an answer: as a body, or as the only event of a stream. */
const errorIn = (text: string) => {
  const body = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  return { id: body.id, ...(body.error ?? body) };
};

describe('headers that cannot be read', () => {
  test.each([
    ['/a2a', rpc('SendMessage', { message: v10 })],
    ['/a2a', rpc('SubscribeToTask', { id: ID })],
    ['/a2a/v1', rpc('message/send', { message: v03 })],
    ['/a2a/v1', rpc('message/stream', { message: v03 })],
    ['/a2a/v1', rpc('tasks/resubscribe', { id: ID })],
    ['/a2a', rpc('message/send', { message: legacy })],
    ['/a2a', rpc('tasks/get', { id: ID })],
  ])('are invalid params of JSON-RPC: %s %j', async (path, body) => {
    const { send, calls } = await gateway(quiet);
    for (const [name, value] of [
      ['Last-Event-ID', 'abc'],
      ['Idempotency-Key', 'with space'],
    ] as const) {
      const { status, text, headers } = await send('POST', path, { body, headers: { [name]: value } });
      expect([status, errorIn(text)]).toMatchObject([
        200,
        { id: 'r-7', code: -32602, message: expect.stringContaining(name) },
      ]);
      // Clients of 0.3 that asked for a stream read nothing else.
      const isStream = body.method === 'message/stream' || body.method === 'tasks/resubscribe';
      expect(String(headers['content-type']).startsWith('text/event-stream')).toBe(isStream);
    }
    expect(calls.filter(isMore)).toEqual([]);
  });

  test.each([
    ['POST', '/message:stream', { message: v10 }],
    ['GET', `/tasks/${ID}:subscribe`, undefined],
    ['POST', `/tasks/${ID}:subscribe`, undefined],
    ['POST', '/v1/message:stream', { request: restV03 }],
    ['GET', `/v1/tasks/${ID}:subscribe`, undefined],
  ] as const)('are 400 over HTTP+JSON: %s %s', async (method, path, body) => {
    const { send, calls } = await gateway(quiet);
    const { status, text } = await send(method, path, {
      headers: { 'Last-Event-ID': 'abc' },
      ...(body === undefined ? {} : { body }),
    });
    expect([status, errorIn(text).message]).toEqual([400, expect.stringContaining('Last-Event-ID')]);
    expect(calls).toEqual([]);
  });
});

describe('ids that are no texts', () => {
  const push = { url: 'https://example.com/hook' };
  const pushSet = 'tasks/pushNotificationConfig/set';
  const odd = [['a'], [], { id: 'a' }, 7, true];
  const orNull = [...odd, null, undefined];

  test.each([
    ['GetTask', (id: unknown) => ({ id }), 'params.id', orNull],
    ['CancelTask', (id: unknown) => ({ id }), 'params.id', orNull],
    ['SubscribeToTask', (id: unknown) => ({ id }), 'params.id', orNull],
    ['ListTasks', (contextId: unknown) => ({ contextId }), 'params.contextId', odd],
    ['ListTasks', (pageToken: unknown) => ({ pageToken }), 'params.pageToken', odd],
    ['GetExtendedAgentCard', (tenant: unknown) => ({ tenant }), 'params.tenant', odd],
    ['CreateTaskPushNotificationConfig', (taskId: unknown) => ({ ...push, taskId }), 'params.taskId', orNull],
    ['CreateTaskPushNotificationConfig', (id: unknown) => ({ ...push, taskId: ID, id }), 'params.id', odd],
    ['GetTaskPushNotificationConfig', (taskId: unknown) => ({ taskId, id: 'c' }), 'params.taskId', orNull],
    ['GetTaskPushNotificationConfig', (id: unknown) => ({ taskId: ID, id }), 'params.id', orNull],
    ['DeleteTaskPushNotificationConfig', (id: unknown) => ({ taskId: ID, id }), 'params.id', orNull],
    ['ListTaskPushNotificationConfigs', (task_id: unknown) => ({ task_id }), 'params.task', orNull],
    ['SendMessage', (taskId: unknown) => ({ message: { ...v10, taskId } }), 'message.taskId', odd],
    ['SendMessage', (task_id: unknown) => ({ message: { ...v10, task_id } }), 'message.task_id', odd],
    ['SendMessage', (contextId: unknown) => ({ message: { ...v10, contextId } }), 'message.contextId', odd],
    ['SendStreamingMessage', (messageId: unknown) => ({ message: { ...v10, messageId } }), 'message.messageId', orNull],
    [
      'SendMessage',
      (id: unknown) => ({ message: { ...v10, referenceTaskIds: [id] } }),
      'message.referenceTaskIds[0]',
      orNull.slice(0, -1),
    ],
    [
      'SendMessage',
      (id: unknown) => ({ message: v10, configuration: { taskPushNotificationConfig: { ...push, id } } }),
      'the push config.id',
      odd,
    ],
    ['tasks/get', (id: unknown) => ({ id }), 'params.id', orNull],
    ['tasks/cancel', (id: unknown) => ({ id }), 'params.id', orNull],
    ['tasks/resubscribe', (id: unknown) => ({ id }), 'params.id', orNull],
    [pushSet, (taskId: unknown) => ({ taskId, pushNotificationConfig: push }), 'params.taskId', orNull],
    [
      pushSet,
      (id: unknown) => ({ taskId: ID, pushNotificationConfig: { ...push, id } }),
      'pushNotificationConfig.id',
      odd,
    ],
    ['tasks/pushNotificationConfig/get', (id: unknown) => ({ id }), 'params.id', orNull],
    ['tasks/pushNotificationConfig/list', (id: unknown) => ({ id }), 'params.id', orNull],
    [
      'tasks/pushNotificationConfig/get',
      (pushNotificationConfigId: unknown) => ({ id: ID, pushNotificationConfigId }),
      'params.pushNotificationConfigId',
      odd,
    ],
    [
      'tasks/pushNotificationConfig/delete',
      (pushNotificationConfigId: unknown) => ({ id: ID, pushNotificationConfigId }),
      'params.pushNotificationConfigId',
      orNull,
    ],
    ['message/send', (taskId: unknown) => ({ message: { ...v03, taskId } }), 'message.taskId', odd],
    ['message/send', (contextId: unknown) => ({ message: { ...v03, contextId } }), 'message.contextId', odd],
    ['message/stream', (messageId: unknown) => ({ message: { ...v03, messageId } }), 'message.messageId', odd],
    [
      'message/send',
      (id: unknown) => ({ message: v03, configuration: { pushNotificationConfig: { ...push, id } } }),
      'the push config.id',
      odd,
    ],
    // In the dialect before.
    ['message/send', (taskId: unknown) => ({ taskId, message: legacy }), 'params.taskId', odd],
    ['message/send', (taskId: unknown) => ({ message: { ...legacy, taskId } }), 'message.taskId', odd],
    ['message/send', (contextId: unknown) => ({ message: { ...legacy, contextId } }), 'message.contextId', odd],
  ] as const)('%s names the field: %s %s', async (method, params, field, values) => {
    const { send, calls } = await gateway(quiet);
    for (const path of ['/a2a', '/a2a/v1', '/']) {
      for (const value of values) {
        const { status, text } = await send('POST', path, { body: rpc(method, params(value)) });
        expect([status, errorIn(text)], `${path} ${JSON.stringify(value)}`).toMatchObject([
          200,
          { id: 'r-7', code: -32602, message: expect.stringContaining(field) },
        ]);
      }
    }
    expect(calls.filter(isMore)).toEqual([]);
  });

  test.each([
    ['/message:send', (taskId: unknown) => ({ message: { ...v10, taskId } }), 'message.taskId'],
    ['/message:stream', (contextId: unknown) => ({ message: { ...v10, contextId } }), 'message.contextId'],
    ['/message:send', (messageId: unknown) => ({ message: { ...v10, messageId } }), 'message.messageId'],
    ['/message:send', (tenant: unknown) => ({ tenant, message: v10 }), 'tenant'],
    ['/v1/message:send', (taskId: unknown) => ({ request: { ...restV03, taskId } }), 'message.taskId'],
    ['/v1/message:send', (task_id: unknown) => ({ request: { ...restV03, task_id } }), 'message.task_id'],
    [`/tasks/${ID}:cancel`, (tenant: unknown) => ({ tenant }), 'tenant'],
    [`/tasks/${ID}/pushNotificationConfigs`, (id: unknown) => ({ ...push, id }), 'push config.id'],
    [
      `/v1/tasks/${ID}/pushNotificationConfigs`,
      (id: unknown) => ({ pushNotificationConfig: { ...push, id } }),
      'push config.id',
    ],
  ] as const)('over HTTP+JSON: %s names the field', async (path, body, field) => {
    const { send, calls } = await gateway(quiet);
    for (const value of odd) {
      const { status, text } = await send('POST', path, { body: body(value) });
      expect([status, errorIn(text).message]).toEqual([400, expect.stringContaining(field)]);
    }
    expect(calls).toEqual([]);
  });

  test('an address that names a context twice names none', async () => {
    const { send, calls } = await gateway(quiet);
    const { status, text } = await send('GET', '/tasks?contextId=a&contextId=b');
    expect([status, errorIn(text).message]).toEqual([400, expect.stringContaining('contextId')]);
    expect(calls).toEqual([]);
  });

  test('members that nobody knows are left alone, and a null that need not be there is none', async () => {
    const { send } = await gateway(quiet);
    for (const [method, message] of [
      ['SendMessage', { ...v10, taskId: null, contextId: null, ids: [1], more: { id: 7 } }],
      ['message/send', { ...v03, taskId: null, contextId: null, ids: [1], more: { id: 7 } }],
      ['message/send', { ...legacy, taskId: null, contextId: null, ids: [1] }],
    ] as const) {
      const { text } = await send('POST', '/a2a', { body: rpc(method, { message, extra: { id: [1] } }) });
      expect(errorIn(text).code).not.toBe(-32602);
    }
  });
});

describe('a method that is not found', () => {
  test.each([
    ['tasks/list', {}, 'A2A 0.3 has no method tasks/list'],
    ['ExplodeTask', {}, 'A2A 0.3 has no method ExplodeTask'],
    ['constructor', {}, 'A2A 0.3 has no method constructor'],
    [
      'message/send',
      { 'A2A-Version': '1.0' },
      'A2A 1.0 has no method message/send; it is one of 0.3: send A2A-Version: 0.3',
    ],
    ['GetTask', { 'A2A-Version': '0.3' }, 'A2A 0.3 has no method GetTask; it is one of 1.0: send A2A-Version: 1.0'],
    [`x\u0000\u202e${'y'.repeat(5_000)}`, { 'A2A-Version': '1.0' }, 'A2A 1.0 has no method x'],
  ])('%.20s %j is named, with the version that it was looked up in', async (method, headers, said) => {
    const { send, calls } = await gateway(quiet);
    const { text } = await send('POST', '/a2a', { body: rpc(method, {}), headers });
    const { id, code, message: words, data } = errorIn(text);
    const message = [words, ...(data === undefined ? [] : [data])].join(': ');
    expect([id, code, message]).toEqual(['r-7', -32601, expect.stringContaining(`Method not found: ${said}`)]);
    // Who says no version is told the words of the first dialect, and no others.
    if (!('A2A-Version' in headers)) expect(words).toBe('Method not found');
    expect(message.length).toBeLessThan(300);
    expect(message).toBe(visibleText(message));
    expect(calls).toEqual([]);
  });
});
