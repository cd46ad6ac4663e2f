import { invalidArgument, type Principal } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { feed, follow } from './support/events.ts';
import { gateway } from './support/gateway.ts';
import { APPROVAL, AT, approval } from './support/views.ts';

const PATH = '/approvals/events';
const { ASKED, UNSPECIFIED, VOTED } = store.ApprovalChange;
const message = (position: bigint, change: store.ApprovalChange = UNSPECIFIED) => ({
  position,
  ...(change === UNSPECIFIED ? {} : { change, approval: approval(), actor: { id: 'ana', claimed: true }, time: AT }),
});

/** A gateway over a store whose changes the test feeds; `who` is let in, and asked again every few milliseconds. */
async function live(who?: () => Principal) {
  const changes = feed<ReturnType<typeof message>>();
  const watchApprovals = (_: unknown, { signal }: { signal: AbortSignal }) => changes.read(signal);
  const signedIn = who && { authenticate: async () => ({ principal: who() }), times: { recheckMs: 5 } };
  const server = await gateway({ store: { watchApprovals } }, signedIn);
  return { changes, server };
}

test('changes come with the place to go on from, which one that is for others moves too', async () => {
  const { changes, server } = await live();
  for (const one of [message(3n), message(3n, ASKED), message(7n, VOTED), message(9n)]) changes.push(one);
  const client = await follow(server.url, `${PATH}?tool=resources_add`);
  expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  await expect.poll(() => client.text()).toMatch(/\nid: 9\n\n$/);
  expect(client.text()).toMatch(/^retry: 1000\n\nid: 3\n\nid: 3\nevent: asked\n/);
  expect(client.events.map(({ id, event }) => [id, event])).toEqual([
    ['3', 'asked'],
    ['7', 'voted'],
  ]);
  expect(JSON.parse(client.events[0]!.data)).toMatchObject({
    ...{ change: 'asked', time: '2026-01-15T10:30:00.000Z', actor: { id: 'ana', claimed: true } },
    approval: { uuid: APPROVAL, status: 'pending', tool_args: { name: 'x', value: 42 } },
  });
  client.leave();
  await expect.poll(() => changes.readers()).toBe(0);
  expect(server.calls[0]?.request).toMatchObject({
    filter: { tool: 'resources_add', principal: '' },
    begin: { case: 'now', value: true },
  });
});

test('it goes on after Last-Event-ID, else after what the query says; what is none is refused', async () => {
  const { changes, server } = await live();
  changes.push(message(5n));
  for (const [path, headers] of [
    [`${PATH}?after=5`, {}],
    [`${PATH}?after=4`, { 'Last-Event-ID': '6' }],
  ] as const)
    (await follow(server.url, path, headers)).leave();
  expect(server.calls.map(({ request }) => (request as unknown as { begin: object }).begin)).toEqual([
    { case: 'afterPosition', value: 5n },
    { case: 'afterPosition', value: 6n },
  ]);
  for (const [path, headers] of [
    [`${PATH}?after=x`, {}],
    [`${PATH}?after=-1`, {}],
    [PATH, { 'Last-Event-ID': '99999999999999999' }],
    [`${PATH}?status=never`, {}],
    [`${PATH}?may_decide=me`, {}],
  ] as const)
    expect((await server.send('GET', path, { headers })).status, path).toBe(400);
  expect(server.calls).toHaveLength(2);
  expect((await server.send('HEAD', PATH)).status).toBe(200);
});

test('what the store refuses is an answer, and no event stream', async () => {
  const { send } = await gateway({
    store: {
      // biome-ignore lint/correctness/useYield: it ends before its first
      watchApprovals: async function* () {
        throw invalidArgument('the log has not reached position 7');
      },
    },
  });
  const { status, json } = await send('GET', `${PATH}?after=7`);
  expect([status, json.error]).toEqual([400, 'the log has not reached position 7']);
});

const ana = {
  ...{ kind: 'user', id: 'ana', email: 'ana@x.example', name: 'Ana', role: 'ADMIN', groups: ['ops'], via: 'token' },
} as const satisfies Principal;

test('what somebody may decide comes with what is theirs, in one stream; who sees everything sees that', async () => {
  const filters = async (who: Principal, query: string) => {
    const { changes, server } = await live(() => who);
    changes.push(message(1n));
    (await follow(server.url, `${PATH}${query}`, { authorization: 'Bearer x' })).leave();
    const [call] = server.calls as unknown as { request: { filter: { principal: string; askedOf?: object } } }[];
    return call!.request.filter;
  };
  const own = await filters({ ...ana, role: 'USER' } as Principal, '?also=may_decide');
  expect(own).toMatchObject({ principal: 'user:ana', askedOf: { principal: 'user:ana', withoutVoted: false } });
  const all = await filters(ana, '?also=may_decide');
  expect([all.principal, all.askedOf]).toEqual(['', undefined]);
  const { send } = await live(() => ana).then(({ server }) => server);
  for (const query of ['also=all', 'also=may_decide&may_decide=me', `also=may_decide&conversation=${APPROVAL}`])
    expect((await send('GET', `${PATH}?${query}`, { headers: { authorization: 'Bearer x' } })).status, query).toBe(400);
});

test.each<[string, Partial<typeof ana> | { role: 'USER' } | { groups: string[] } | { scopes: [] }]>([
  ['somebody who sees only what is theirs from now on', { role: 'USER' }],
  ['somebody who has left a group', { groups: [] }],
  ['a key whose scopes are others', { scopes: [] }],
])('an event stream of approvals ends for %s', async (_, change) => {
  let who: Principal = ana;
  const { changes, server } = await live(() => who);
  changes.push(message(1n));
  const headers = { authorization: 'Bearer x' };
  const client = await follow(server.url, PATH, headers);
  await expect.poll(() => client.text()).toContain('id: 1');
  who = { ...ana, ...change } as Principal;
  await client.ended;
  expect(changes.readers()).toBe(0);
});
