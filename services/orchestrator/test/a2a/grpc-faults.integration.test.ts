import { once } from 'node:events';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { type handleUnaryCall, type Metadata, type Server, status } from '@grpc/grpc-js';
import { Secret } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { sendTimeoutMs } from '../../src/a2a/bounds.ts';
import { HandClock } from '../driver/one-driver.ts';
import { agentAt, client, delegated, never, order } from './orders.ts';
import { cardOf, isCard, type ScriptedAgent, scriptedAgent, sendJson } from './scripted-agent.ts';
import { grpcServer } from './sdk-agent.ts';

/** Agents that speak gRPC only, and not as they should. */
type Answer = handleUnaryCall<unknown, unknown>;

const open: { readonly http: ScriptedAgent; readonly server: Server }[] = [];
afterEach(() => {
  for (const { http, server } of open.splice(0)) {
    http.close();
    server.forceShutdown();
  }
});

async function faulty(answer: Answer) {
  const { server, address } = await grpcServer();
  const calls: Metadata[] = [];
  const noted: Answer = (call, callback) => {
    calls.push(call.metadata);
    answer(call, callback);
  };
  const handlers = Object.fromEntries(Object.keys(A2AService).map((name) => [name, noted]));
  server.addService(A2AService, handlers as never);
  const supportedInterfaces = [{ url: address, protocolBinding: 'GRPC', protocolVersion: '1.0' }];
  const http = await scriptedAgent((request, response) => {
    if (isCard(request)) return sendJson(response, cardOf('', { supportedInterfaces }));
    response.writeHead(404).end();
  });
  open.push({ http, server });
  return {
    url: `${http.origin}/a2a`,
    grpcOrigin: new URL(address.includes('://') ? address : `http://${address}`).origin,
    calls,
    server,
  };
}

const says =
  (code: status, details: string): Answer =>
  (_call, callback) =>
    callback({ code, details });

test.each([
  [
    'a refusal',
    status.INVALID_ARGUMENT,
    'no parts',
    { kind: 'unavailable', message: expect.stringContaining('no parts') },
  ],
  ['a version that is not spoken', status.FAILED_PRECONDITION, 'version', { kind: 'unavailable' }],
  ['a method that is not there', status.UNIMPLEMENTED, 'what?', { kind: 'unavailable' }],
  ['a token that is wanted', status.UNAUTHENTICATED, 'who?', { kind: 'unauthenticated' }],
])('%s is what nobody took', async (_what, code, details, outcome) => {
  const agent = await faulty(says(code, details));
  expect((await delegated(order(agent.url))).outcome).toMatchObject(outcome);
  expect(agent.calls).toHaveLength(1);
});

test.each([
  ['an error inside of whatever answers', status.INTERNAL, 'broke'],
  ['an agent that passes on that it could not connect', status.UNAVAILABLE, 'No connection established. Last error: x'],
  ['an answer that is too large', status.RESOURCE_EXHAUSTED, 'too large'],
])('%s leaves open what became of it', async (_what, code, details) => {
  const agent = await faulty(says(code, details));
  await expect(delegated(order(agent.url))).rejects.toThrow(details);
  expect(agent.calls).toHaveLength(1);
});

test('an agent that is gone took nothing, and is told so in one line', async () => {
  const agent = await faulty(says(status.INTERNAL, ''));
  agent.server.forceShutdown();
  const { outcome } = await delegated(order(agent.url, { bearer: new Secret('s3cret-token') }));
  expect(outcome).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('no connection') });
  expect(JSON.stringify(outcome)).not.toContain('s3cret-token');
});

test('a message carries its token, session and key; an agent that hangs is left when its time is up', async () => {
  const clock = new HandClock();
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const agent = await faulty((call) => {
    call.on('cancelled', () => left.abort());
    arrive();
  });
  const left = new AbortController();
  const tokenOrigins = [agent.grpcOrigin];
  const request = order(agent.url, { agent: agentAt(agent.url, { tokenOrigins }), bearer: new Secret('s3cret-token') });
  const outcome = delegated(request, client(clock));
  outcome.catch(() => undefined);
  await arrived;
  expect(agent.calls[0]?.getMap()).toMatchObject({
    authorization: 'Bearer s3cret-token',
    'x-session-id': 'a1b2c3d4',
    'idempotency-key': request.messageId,
    'a2a-version': '1.0',
  });
  const isLeft = once(left.signal, 'abort');
  await clock.pass(sendTimeoutMs);
  await expect(outcome).rejects.toThrow('took longer than 300 s');
  await isLeft;
});

test('a token is withheld from a port that only the card names, and that is told once', async () => {
  const agent = await faulty(says(status.INVALID_ARGUMENT, 'no'));
  const told: unknown[] = [];
  const by = client(undefined, (...said) => told.push(said));
  const bearer = new Secret('s3cret-token');
  for (let times = 0; times < 2; times += 1) await delegated(order(agent.url, { bearer }), by);
  expect(agent.calls.map((metadata) => metadata.get('authorization'))).toEqual([[], []]);
  expect(agent.calls.map((metadata) => metadata.get('x-session-id'))).toEqual([['a1b2c3d4'], ['a1b2c3d4']]);
  expect(told).toEqual([['peer', agent.grpcOrigin]]);
  const listed = agentAt(agent.url, { tokenOrigins: [agent.grpcOrigin] });
  await delegated(order(agent.url, { agent: listed, bearer }), by);
  expect(agent.calls.at(-1)?.get('authorization')).toEqual(['Bearer s3cret-token']);
  expect(told).toHaveLength(1);
});

test('a task that is not known there is none', async () => {
  const agent = await faulty(says(status.NOT_FOUND, 'Task not found'));
  expect(await client().lookUp(order(agent.url, { taskId: 'nobodys' }), never)).toMatchObject({ kind: 'unknown' });
});
