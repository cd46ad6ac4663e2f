import { type Principal, unauthenticated, unavailable } from '@stopgo/core';
import { expect, test } from 'vitest';
import { notSignedIn } from '../src/auth/refusal.ts';
import { feed, follow, type recorded } from './support/events.ts';
import { gateway } from './support/gateway.ts';
import { callGrpc } from './support/grpc.ts';
import { ID, working } from './support/views.ts';

const ana = {
  ...{ kind: 'user', id: 'ana', email: 'ana@x.example', name: 'Ana', role: 'ADMIN', groups: [], via: 'token' },
} as const satisfies Principal;

/** A gateway on which Ana is let in for as long as `says.who` says so, and asked every few milliseconds. */
async function letIn() {
  const events = feed<ReturnType<typeof recorded>>();
  const says: { who: () => Principal; asked: number } = { who: () => ana, asked: 0 };
  const server = await gateway(
    {
      bridge: { listTools: async () => ({ tools: [] }) },
      store: {
        getConversation: async () => ({ view: working() }),
        follow: (_: unknown, { signal }: { signal: AbortSignal }) => events.read(signal, 0),
        watchDeltas: (_: unknown, { signal }: { signal: AbortSignal }) => feed<{ delta: object }>().read(signal),
      },
    },
    {
      authenticate: async () => {
        says.asked += 1;
        return { principal: says.who() };
      },
      times: { recheckMs: 5 },
      a2aGrpcPort: 0,
    },
  );
  return { server, says };
}

const refusals: readonly [string, () => Principal][] = [
  [
    'a user who was deactivated, a key that was revoked, a token that has expired',
    () => {
      throw notSignedIn('this user is not active');
    },
  ],
  ['somebody who is no administrator any more', () => ({ ...ana, role: 'USER' })],
  ['a key whose scopes are others', () => ({ ...ana, scopes: [] })],
];

for (const path of [`/conversations/${ID}/events`, `/tasks/${ID}:subscribe`])
  test.each(refusals)(`an event stream at ${path} ends for %s`, async (_, refuse) => {
    const { server, says } = await letIn();
    const client = await follow(server.url, path, { authorization: 'Bearer x', 'a2a-version': '1.0' });
    expect(client.status).toBe(200);
    says.who = refuse;
    await client.ended;
    const asked = says.asked;
    // Nobody is asked about any more who has gone.
    const other = await follow(server.url, path, { authorization: 'Bearer x', 'a2a-version': '1.0' });
    expect([other.status >= 400, says.asked]).toEqual([true, asked + 1]);
  });

/** How gRPC says each: not signed in, not there for him, not for this key. */
const statuses = [16, 5, 7];

test.each([
  ['1.0', '/lf.a2a.v1.A2AService/SubscribeToTask', { field: 2, text: ID }],
  ['0.3', '/a2a.v1.A2AService/TaskSubscription', { field: 1, text: `tasks/${ID}` }],
])('over gRPC, version %s of A2A, it ends as well', async (version, path, request) => {
  for (const [index, [, refuse]] of refusals.entries()) {
    const { server, says } = await letIn();
    const { json } = await server.send('GET', '/.well-known/agent-card.json');
    const { additionalInterfaces } = json as { additionalInterfaces: { url: string; transport: string }[] };
    const { url = '' } = additionalInterfaces.find(({ transport }) => transport === 'GRPC') ?? {};
    const port = Number(url.split(':').at(-1));
    const stream = callGrpc(port, path, request, { authorization: 'Bearer x', 'a2a-version': version });
    await stream.begun;
    says.who = refuse;
    expect(await stream.ended).toBe(statuses[index]);
  }
});

test.each([
  ['the store is away', () => unavailable('the store is away')],
  ['a service does not take the token of the gateway', () => unauthenticated('the internal token is another one')],
])('an event stream goes on while all is as it was, and while %s', async (_, failure) => {
  const { server, says } = await letIn();
  const client = await follow(server.url, `/conversations/${ID}/events`, { authorization: 'Bearer x' });
  const isOver = { yes: false };
  void client.ended.then(() => {
    isOver.yes = true;
  });
  await expect.poll(() => says.asked).toBeGreaterThan(3);
  says.who = () => {
    throw failure();
  };
  const before = says.asked;
  await expect.poll(() => says.asked).toBeGreaterThan(before + 3);
  expect(isOver.yes).toBe(false);
  client.leave();
});
