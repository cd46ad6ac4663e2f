import { type Fact, fact } from '@stopgo/core';
import { expect, test } from 'vitest';
import { pastBytesMax } from '../src/bounds.ts';
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
