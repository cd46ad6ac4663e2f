import { type Fact, fact } from '@stopgo/core';
import { expect, test } from 'vitest';
import { pastBytesMax, pastsMax } from '../src/bounds.ts';
import { recorded } from './support/events.ts';
import { gateway } from './support/gateway.ts';
import { ID, settled, storeOf } from './support/views.ts';

const STREAM = `conversation-${ID}`;
const created = fact('conversationCreated', { conversationId: ID, agentName: 'tester' });
const said = (text: string) => fact('userMessageReceived', { runId: 'r', text });

/** A store whose conversation is as long as it says, and gives these events of it. */
function storeWith(facts: readonly Fact[], { revision = facts.length, verified = {} } = {}) {
  const events = facts.map((one, index) => ({ ...recorded(STREAM, index + 1, one).event, hash: new Uint8Array([7]) }));
  return {
    ...storeOf(settled('done', { revision })),
    readStream: async ({ fromRevision }: { fromRevision: number }) => ({ events: events.slice(fromRevision - 1) }),
    verifyStream: async () => ({ events: facts.length, problems: [], ...verified }),
  };
}

test('what would have to be held whole is refused beyond a bound, with the way that has none', async () => {
  const store = storeWith([created, said('x'.repeat(pastBytesMax))]);
  const { send } = await gateway({ store });
  expect(await send('GET', `/conversations/${ID}?revision=2`)).toMatchObject({
    status: 409,
    json: { error: expect.stringContaining(`\`stopgo replay ${ID} --at 2\``) },
  });
});

test('a record that ends before its head is a loss, not a shorter conversation', async () => {
  const { send, lines } = await gateway({ store: storeWith([created], { revision: 3 }) });
  expect((await send('GET', `/conversations/${ID}?revision=2`)).status).toBe(500);
  await expect.poll(() => lines.join('')).toContain('end at 1, not at 2');
});

test('a record that is not sound says what is wrong, and has no head to go by', async () => {
  const problems = ['event 2: its hash does not follow\u200b'];
  const { send } = await gateway({ store: storeWith([created, said('x')], { verified: { problems } }) });
  const { status, json } = await send('GET', `/conversations/${ID}/verification`);
  expect([status, json.sound, json.problems]).toEqual([200, false, ['event 2: its hash does not follow\\u{200b}']]);
  expect(json).not.toHaveProperty('head');
});

test('some conversations are folded at once as they stood; more are told to come again, and who leaves makes room', async () => {
  const waiting: (() => void)[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const store = storeWith([created, said('x')]);
  const readStream = (request: { fromRevision: number }, options?: { signal?: AbortSignal }) =>
    new Promise<{ events: { hash: Uint8Array }[] }>((resolve, reject) => {
      signals.push(options?.signal);
      options?.signal?.addEventListener('abort', () => reject(new Error('left')));
      waiting.push(() => resolve(store.readStream(request)));
    });
  const { send, url } = await gateway({ store: { ...store, readStream } });
  const path = `/conversations/${ID}?revision=2`;
  const leaver = new AbortController();
  const left = fetch(`${url}${path}`, { signal: leaver.signal }).catch(() => 'left');
  const running = Array.from({ length: pastsMax - 1 }, () => send('GET', path));
  await expect.poll(() => waiting.length).toBe(pastsMax);
  expect((await send('GET', path)).status).toBe(429);
  leaver.abort();
  expect(await left).toBe('left');
  await expect.poll(() => signals.filter((one) => one?.aborted).length).toBe(1);
  for (const end of waiting) end();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  const again = send('GET', path);
  await expect.poll(() => waiting.length).toBe(pastsMax + 1);
  waiting.at(-1)?.();
  expect((await again).status).toBe(200);
});

test('two conversations are verified at once; the next is told to come again', async () => {
  const waiting: (() => void)[] = [];
  const verifyStream = () =>
    new Promise<{ events: number; problems: string[] }>((resolve) => {
      waiting.push(() => resolve({ events: 2, problems: [] }));
    });
  const { send } = await gateway({ store: { ...storeWith([created, said('x')]), verifyStream } });
  const path = `/conversations/${ID}/verification`;
  const running = [send('GET', path), send('GET', path)];
  await expect.poll(() => waiting.length).toBe(2);
  const refused = await send('GET', path);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  for (const end of waiting) end();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  const again = send('GET', path);
  await expect.poll(() => waiting.length).toBe(3);
  waiting[2]?.();
  expect((await again).status).toBe(200);
});
