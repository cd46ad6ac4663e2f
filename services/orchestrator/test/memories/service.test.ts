import { memoryStream } from '@stopgo/core';
import { envelope, memory as wire } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { AgentMemories } from '../../src/memories/agent-memories.ts';
import { memoryService } from '../../src/memories/service.ts';
import { LogInMemory } from '../agents/log-in-memory.ts';
import { HandClock } from '../driver/one-driver.ts';

const actor = { kind: envelope.ActorKind.USER, id: 'ada@example.com' };
const signal = new AbortController().signal;

function served() {
  const log = new LogInMemory();
  const clock = Object.assign(new HandClock(), { sleep: async () => undefined });
  let ids = 0;
  const ports = { instance: 'me', log, clock, newId: () => `id ${++ids}`, random: () => 0 };
  const memories = new AgentMemories(ports);
  const client = createInProcessClient(wire.MemoryService, memoryService(memories, clock), {
    onInternalError: (error) => {
      throw error;
    },
  });
  const set = (key: string, value: unknown, more = {}) =>
    client.setMemory({ agent: 'a', key, valueJson: JSON.stringify(value), actor, ...more });
  return { log, clock, memories, client, set };
}

test('people see what agents saved, change it, and have it forgotten; who did is on the record', async () => {
  const { log, memories, client, set } = served();
  const call = { conversationId: 'c', runId: 'r', stepId: 'root', callId: 'root#1.0' };
  await memories.save('a', { key: 'k', valueJson: '1' }, call, signal);
  const { memory } = await client.getMemory({ agent: 'a', key: 'k' });
  expect(memory).toMatchObject({ valueJson: '1', savedBy: { kind: 3, id: 'a' }, call, revision: 1 });
  expect(await set('k', { z: 1, a: 2 })).toMatchObject({
    created: false,
    memory: { valueJson: '{"a":2,"z":1}', savedBy: actor, revision: 2 },
  });
  expect((await memories.load('a', 'k', signal)).content).toBe('{"a":2,"z":1}');
  await client.removeMemory({ agent: 'a', key: 'k', actor });
  expect((await memories.load('a', 'k', signal)).isError).toBe(true);
  await expect(client.getMemory({ agent: 'a', key: 'k' })).rejects.toMatchObject({ kind: 'not_found' });
  const events = log.streams.get(memoryStream('a')) ?? [];
  expect(events.map(({ fact, actor: by }) => [fact.case, by.kind, by.id])).toEqual([
    ['memorySaved', 'agent', 'a'],
    ['memorySaved', 'user', 'ada@example.com'],
    ['memoryRemoved', 'user', 'ada@example.com'],
  ]);
});

test('a change that expects what is not there any more changes nothing', async () => {
  const { client, set } = served();
  expect(await set('k', 1, { expectedRevision: 0 })).toMatchObject({ created: true, memory: { revision: 1 } });
  await set('k', 2, { expectedRevision: 1 });
  for (const expectedRevision of [0, 1, 3]) {
    const refused = { kind: 'failed_precondition', details: { reason: 'revision', revision: '2' } };
    await expect(set('k', 3, { expectedRevision })).rejects.toMatchObject(refused);
    await expect(client.removeMemory({ agent: 'a', key: 'k', expectedRevision, actor })).rejects.toMatchObject(refused);
  }
  expect((await client.getMemory({ agent: 'a', key: 'k' })).memory?.valueJson).toBe('2');
  await client.removeMemory({ agent: 'a', key: 'k', expectedRevision: 2, actor });
  await expect(client.removeMemory({ agent: 'a', key: 'k', actor })).rejects.toThrow('there is no memory k');
});

test('two who change the same thing at once: one of them is told', async () => {
  const { set } = served();
  await set('k', 0);
  const both = await Promise.allSettled([1, 2].map((value) => set('k', value, { expectedRevision: 1 })));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('lists hold what has the words and has not expired, in pages', async () => {
  const { client, clock, set } = served();
  await set('b', 'red apple');
  await set('a', { fruit: 'green apple' });
  await set('c', 'apple', { expiresAt: { seconds: 1n } });
  const keys = async (query: string, more = {}) => {
    const { memories, nextCursor, total } = await client.listMemories({ agent: 'a', query, ...more });
    return [memories.map(({ key }) => key).join(), nextCursor, total];
  };
  expect(await keys('APPLE')).toEqual(['a,b,c', '', 3]);
  await clock.pass(1_000);
  expect(await keys('apple')).toEqual(['a,b', '', 2]);
  expect(await keys('apple green')).toEqual(['a', '', 1]);
  expect(await keys('', { limit: 1 })).toEqual(['a', 'a', 2]);
  expect(await keys('', { limit: 1, cursor: 'a' })).toEqual(['b', '', 2]);
  expect((await client.listMemories({ agent: 'b' })).total).toBe(0);
});

test('what cannot be saved is refused with the reason', async () => {
  const { set } = served();
  const refused = (kind: string, message: string | RegExp) => ({ kind, message: expect.stringMatching(message) });
  await expect(set('a\u200bb', 1)).rejects.toMatchObject(refused('invalid_argument', /^a key has/));
  await expect(set('k', 'x'.repeat(70_000))).rejects.toMatchObject(refused('invalid_argument', /^a value has at most/));
  await expect(set('k', 1, { expiresAt: { seconds: 0n } })).rejects.toMatchObject(
    refused('invalid_argument', /^it would expire at/),
  );
  for (const valueJson of ['', '{', '1}', '1,"a":2', '12345678901234567890'])
    await expect(set('k', 1, { valueJson }), valueJson).rejects.toMatchObject(
      refused('invalid_argument', /value_json/),
    );
  await expect(set('k', 1, { agent: '' })).rejects.toMatchObject(refused('invalid_argument', /^agent must/));
  for (let n = 0; n < 16; n += 1) await set(`k${n}`, 'x'.repeat(65_000));
  await expect(set('more', 'x'.repeat(65_000))).rejects.toMatchObject(refused('resource_exhausted', /^all values/));
});

test('who may not change it changes nothing, and sees it', async () => {
  const { client, set } = served();
  await set('k', 1);
  const user = { kind: 'user', id: 'u', email: 'ada@example.com', name: 'Ada', groups: [], via: 'token' } as const;
  const context = { principal: { ...user, role: 'USER' } } as const;
  const denied = { kind: 'permission_denied', message: expect.stringContaining('memory.change') };
  await expect(client.setMemory({ agent: 'a', key: 'k', valueJson: '2', actor }, { context })).rejects.toMatchObject(
    denied,
  );
  await expect(client.removeMemory({ agent: 'a', key: 'k', actor }, { context })).rejects.toMatchObject(denied);
  expect((await client.getMemory({ agent: 'a', key: 'k' }, { context })).memory?.valueJson).toBe('1');
  const nobody = { context: { principal: { kind: 'nobody' } } } as const;
  await expect(client.listMemories({ agent: 'a' }, nobody)).rejects.toMatchObject({ kind: 'permission_denied' });
});
