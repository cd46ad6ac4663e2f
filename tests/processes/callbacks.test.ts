/** Two whole agents that talk over HTTP: the first one waits for what the second asks, and is called back when that has changed. */
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../free-ports.ts';
import { type AgentMore, WholeAgent } from './whole-agent.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const longMs = 60_000;
/** Nothing is due as long as a test runs. */
const neverDue = { firstMs: 3_600_000, mostMs: 3_600_000 };
const otherToken = 'A'.repeat(43);

type Offer = { readonly url: string; readonly token: string };
type Scene = {
  readonly watchTimes?: typeof neverDue;
  readonly allowPrivate?: boolean;
  readonly hasAddress?: boolean;
};

/** A waits for what B asks. What A asks of B is counted, and the callback that it gives is seen. */
async function waiting({ watchTimes = neverDue, allowPrivate = true, hasAddress = true }: Scene = {}) {
  const seen = { looks: 0, offers: [] as Offer[] };
  const interceptA2A: NonNullable<NonNullable<AgentMore['gateway']>['interceptA2A']> = (handler) => ({
    ...handler,
    getTask: (params, context) => {
      seen.looks += 1;
      return handler.getTask(params, context);
    },
    createTaskPushNotificationConfig: (params, context) => {
      seen.offers.push(params);
      return handler.createTaskPushNotificationConfig(params, context);
    },
  });
  const b = new WholeAgent(
    await freePort(),
    () => ({ name: 'b', prompt: 'Erase.', push: { allow_private: allowPrivate } }),
    { gateway: { interceptA2A } },
  );
  const a = new WholeAgent(
    await freePort(),
    (url) => ({
      ...(hasAddress ? { public_url: url } : {}),
      agent: { type: 'a2a', name: 'a', agents: [], url: `${b.url}/a2a` },
    }),
    { orchestrator: { watchTimes } },
  );
  for (const one of [b, a]) {
    undo.push(() => one.end());
    await one.start();
  }
  const { id } = (await a.send('POST', '/conversations', { message: 'erase x' })).body.conversation;
  const [atA] = (await a.send('GET', '/approvals?status=pending')).body.approvals;
  const taskId: string = atA.remote_task_id;
  return {
    ...{ a, b, seen, id, taskId, approval: `/approvals/${atA.uuid}` },
    /** The callback, once B has it. */
    offered: () =>
      vi.waitFor(async () => {
        expect((await b.send('GET', `/conversations/${taskId}/push`)).body.configs).toHaveLength(1);
        return seen.offers[0] as Offer;
      }, longMs),
    /** The task ends where it is, and nobody tells A but B. */
    endThere: () => b.send('POST', `/conversations/${taskId}/cancel`, {}),
    /** A's conversation, once its run has ended. */
    over: () =>
      vi.waitFor(async () => {
        const { body } = await a.send('GET', `/conversations/${id}`);
        expect(['completed', 'failed']).toContain(body.conversation.run.status);
        return body.conversation;
      }, longMs),
  };
}

test('what becomes of a task elsewhere is known at once, though nothing is due: by one look, and nobody sees the token', {
  timeout: longMs,
}, async () => {
  const { a, b, seen, id, taskId, approval, offered, endThere, over } = await waiting();
  const { url, token } = await offered();
  expect(url.startsWith(`${a.url}/a2a/notify/${id}/`)).toBe(true);
  expect(seen.looks).toBe(0);
  await endThere();
  await over();
  expect((await a.send('GET', approval)).body.approval).toMatchObject({ status: 'withdrawn' });
  // The one that was asked for, and that of whoever took the run up then.
  expect(seen.looks).toBe(2);
  expect(seen.offers).toHaveLength(1);
  const shown = [
    ...a.lines,
    ...b.lines,
    (await a.send('GET', `/conversations/${id}`)).text,
    (await b.send('GET', `/conversations/${taskId}/push`)).text,
  ].join('\n');
  expect(token).toHaveLength(43);
  for (const text of [shown, a.kept(), b.kept()]) expect(text).not.toContain(token);
});

test('a token is good for its task, and for whichever process comes later; any other is told nothing', {
  timeout: longMs,
}, async () => {
  const { a, seen, id, offered, endThere, over } = await waiting();
  const { url, token } = await offered();
  const path = new URL(url).pathname;
  const elsewhere = path.replace(id, '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d');
  const call = (to: string, headers: Readonly<Record<string, string>>) => a.send('POST', to, {}, headers);
  const wrong = [
    await call(path, { 'X-A2A-Notification-Token': otherToken }),
    await call(path, { 'X-A2A-Notification-Token': token.slice(0, -4) }),
    await call(path, {}),
    await call(elsewhere, { 'X-A2A-Notification-Token': token }),
    await call('/a2a/notify/no-id/no-id', { 'X-A2A-Notification-Token': token }),
  ];
  expect(new Set(wrong.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(wrong[0]?.status).toBe(404);
  await a.stop();
  await a.start();
  await endThere();
  await over();
  expect(seen.looks).toBe(2);
  const after = await call(path, { Authorization: `Bearer ${token}` });
  expect(after.status).toBe(204);
});

test('however often an agent calls, its task is looked at once a second, and once more after the last call', {
  timeout: longMs,
}, async () => {
  const { a, seen, offered } = await waiting();
  const { url, token } = await offered();
  const startedAt = performance.now();
  const headers = { 'X-A2A-Notification-Token': token };
  for (let round = 0; round < 5; round += 1) {
    const calls = Array.from({ length: 100 }, () => a.send('POST', new URL(url).pathname, { task: 'x' }, headers));
    for (const { status } of await Promise.all(calls)) expect(status).toBe(204);
  }
  await vi.waitFor(() => expect(seen.looks).toBeGreaterThanOrEqual(2), longMs);
  expect(seen.looks).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000);
});

test('an agent that refuses the address is looked at as ever, and so is any where there is no address; it is told once', {
  timeout: longMs,
}, async () => {
  const often = { firstMs: 50, mostMs: 100 };
  const refused = await waiting({ allowPrivate: false, watchTimes: often });
  await vi.waitFor(() => expect(refused.seen.looks).toBeGreaterThan(3), longMs);
  await refused.endThere();
  await refused.over();
  const told = refused.a.lines.filter((line) => line.includes('does not call back'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('push.allow_private');
  expect(refused.seen.offers).toHaveLength(1);
  const { token = '' } = refused.seen.offers[0] ?? {};
  expect(refused.a.lines.join('\n')).not.toContain(token);
  const unknown = await waiting({ hasAddress: false, watchTimes: often });
  await unknown.endThere();
  await unknown.over();
  expect(unknown.seen.offers).toEqual([]);
  expect(unknown.a.lines.filter((line) => line.includes('does not call back'))).toEqual([]);
});
