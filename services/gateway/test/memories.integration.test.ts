import { failedPrecondition, notFound } from '@stopgo/core';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const json = { 'Content-Type': 'application/json' };
const saved = {
  ...{ agent: 'support/tier1', key: 'a/b', valueJson: '{"n":1.10}', revision: 7 },
  call: { conversationId: 'c', runId: 'r', stepId: 'root', callId: 'root#1.0' },
};
const registry = { resolveAgent: async () => ({}) };

test('names and keys with slashes reach the service as they are, and an agent of such a name is shown', async () => {
  const { send, calls } = await gateway({
    registry,
    memories: {
      listMemories: async () => ({ memories: [saved], nextCursor: 'a/b', total: 2 }),
      getMemory: async () => ({ memory: saved }),
    },
  });
  const list = await send('GET', '/agents/support/tier1/memories?query=ada%207&limit=1&cursor=x', {});
  expect(list.json).toMatchObject({ memories: [{ key: 'a/b', run_id: 'r' }], next_cursor: 'a/b', total: 2 });
  expect(calls[0]?.request).toMatchObject({ agent: 'support/tier1', query: 'ada 7', limit: 1, cursor: 'x' });
  const one = await send('GET', '/agents/support/tier1/memories/a%2Fb', {});
  expect([one.status, one.headers.etag]).toEqual([200, '"7"']);
  expect(one.text).toContain('"value":{"n":1.10}');
  expect(calls[1]?.request).toMatchObject({ agent: 'support/tier1', key: 'a/b' });
  await send('GET', '/agents/support%2Fmemories', {});
  expect(calls[2]).toMatchObject({ method: 'resolveAgent', request: { name: 'support/memories' } });
});

test('a change says who makes it and what it expects, and is told what is there instead', async () => {
  const { send, calls } = await gateway({
    registry,
    memories: {
      setMemory: async ({ expectedRevision }) => {
        if (expectedRevision === 3)
          throw failedPrecondition('it has revision 7 now', { reason: 'revision', revision: '7' });
        return { memory: saved, created: expectedRevision === 0 };
      },
      removeMemory: async () => ({}),
    },
  });
  const path = '/agents/support/tier1/memories/k';
  const put = (headers: Record<string, string>, body: string) =>
    send('PUT', path, { headers: { ...json, ...headers }, body });
  const made = await put({ 'If-None-Match': '*' }, '{"value":null,"expires_at":"2027-01-31T12:00:00Z"}');
  expect([made.status, made.headers.etag]).toEqual([201, '"7"']);
  expect(calls[1]?.request).toMatchObject({
    ...{ key: 'k', valueJson: 'null', expectedRevision: 0, expiresAt: { seconds: 1_801_396_800n } },
    actor: { id: 'anonymous', surface: 'rest' },
  });
  expect((await put({}, '{"value":[]}')).status).toBe(200);
  const stale = await put({ 'If-Match': '"3"' }, '{"value":1}');
  expect([stale.status, stale.json]).toMatchObject([412, { error: 'it has revision 7 now', revision: '7' }]);
  expect((await send('DELETE', path, { headers: { 'If-Match': '"7"' } })).json).toEqual({ removed: 'k' });
  expect(calls.at(-1)?.request).toMatchObject({ key: 'k', expectedRevision: 7 });
});

test('what cannot be taken is refused, and changes nothing', async () => {
  const { send, calls } = await gateway({
    registry: { resolveAgent: async () => Promise.reject(notFound('no agent')) },
  });
  const put = (body: string, headers: Record<string, string> = {}) =>
    send('PUT', '/agents/a/memories/k', { headers: { ...json, ...headers }, body });
  for (const [body, headers, error] of [
    ['{}', {}, '"value" is required'],
    ['{"value":1,"more":1}', {}, 'more'],
    ['{"value":12345678901234567890}', {}, 'out of range'],
    ['{"value":1,"expires_at":"soon"}', {}, '"expires_at" must be a time'],
    ['{"value":1}', { 'If-Match': '7' }, 'If-Match takes the ETag'],
    ['{"value":1}', { 'If-None-Match': '"7"' }, 'If-None-Match takes *'],
    ['{"value":1}', { 'If-Match': '"7"', 'If-None-Match': '*' }, 'not both'],
  ] as const) {
    const { status, text } = await put(body, headers);
    expect([status, text], body).toEqual([400, expect.stringContaining(JSON.stringify(error).slice(1, -1))]);
  }
  expect((await put('{"value":1}')).status).toBe(404);
  expect(calls.map(({ method }) => method)).toEqual(['resolveAgent']);
});

test('where agents are taken from no repository nothing is saved', async () => {
  const { send } = await gateway({});
  const { status, text } = await send('PUT', '/agents/a/memories/k', { headers: json, body: '{"value":1}' });
  expect([status, text]).toEqual([404, expect.stringContaining('no repository')]);
});
