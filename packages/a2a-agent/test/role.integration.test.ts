import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Agent, startAgent } from '../src/agent/index.ts';

/** Who speaks must be said, and it must be the user: in every version, over every transport. */
let agent: Agent;
let grpc: Client;
let taken = 0;

beforeAll(async () => {
  const process = () => {
    taken += 1;
    return 'taken';
  };
  agent = await startAgent({ name: 'small', description: '', process, grpcPort: 0 });
  grpc = new Client(`127.0.0.1:${agent.grpcPort}`, credentials.createInsecure());
});
afterAll(async () => {
  grpc.close();
  await agent.stop();
});

const rpc = (method: string, message: object) => ({ jsonrpc: '2.0', id: 1, method, params: { message } });
const v10 = { messageId: 'm', parts: [{ text: 'hello' }] };
const v03 = { kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'hello' }] };
const restV03 = { messageId: 'm', content: [{ text: 'hello' }] };

const OVER_HTTP: readonly (readonly [string, string, (role: object) => object, unknown])[] = [
  ['1.0 over JSON-RPC', '/a2a', (role) => rpc('SendMessage', { ...v10, ...role }), 'ROLE_USER'],
  ['1.0 over HTTP+JSON', '/message:send', (role) => ({ message: { ...v10, ...role } }), 'ROLE_USER'],
  ['0.3 over JSON-RPC', '/a2a/v1', (role) => rpc('message/send', { ...v03, ...role }), 'user'],
  ['0.3 over HTTP+JSON', '/v1/message:send', (role) => ({ request: { ...restV03, ...role } }), 'ROLE_USER'],
  [
    '0.3 over HTTP+JSON, named as in its JSON',
    '/v1/message:send',
    (role) => ({ request: { ...restV03, ...role } }),
    'user',
  ],
];

describe.each(OVER_HTTP)('%s', (_how, path, body, user) => {
  const post = async (role: object) =>
    (await fetch(agent.address + path, { method: 'POST', body: JSON.stringify(body(role)) })).text();

  test.each([
    {},
    { role: null },
    { role: 'ROLE_UNSPECIFIED' },
    { role: 'agent' },
    { role: 'ROLE_AGENT' },
    { role: 'x' },
  ])('a message with %j is refused', async (role) => {
    const before = taken;
    expect(await post(role)).toContain('message.role');
    expect(taken).toBe(before);
  });

  test('a message of the user is taken', async () => {
    const before = taken;
    expect(await post({ role: user })).toContain('taken');
    expect(taken).toBe(before + 1);
  });
});

describe.each([
  ['1.0', A2AService],
  ['0.3', LegacyA2AService],
] as const)('%s over gRPC', (version, methods) => {
  const said = { messageId: 'm', contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] };
  const part = { content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' };
  const request = (role: number): object =>
    version === '1.0'
      ? { tenant: '', message: { ...said, role, parts: [part] } }
      : { request: { ...said, role, content: [{ part: { $case: 'text', value: 'hello' } }] } };
  const bytes = (role: number): Buffer => methods.sendMessage.requestSerialize(request(role) as never);
  const as = (same: Buffer): Buffer => same;

  const send = (role: number) =>
    new Promise<Pick<ServiceError, 'code' | 'details'>>((resolve) => {
      grpc.makeUnaryRequest(methods.sendMessage.path, as, as, bytes(role), (error, answer) =>
        resolve(error ?? { code: status.OK, details: String(answer) }),
      );
    });
  const stream = (role: number) =>
    new Promise<Pick<ServiceError, 'code' | 'details'>>((resolve) => {
      const { path } = methods.sendStreamingMessage;
      grpc
        .makeServerStreamRequest(path, as, as, bytes(role))
        .on('data', () => {})
        .on('error', resolve);
    });

  test.each([0, 2, 7])('a message with role %i is refused, sent and streamed', async (role) => {
    const before = taken;
    const refused = { code: status.INVALID_ARGUMENT, details: expect.stringContaining('message.role') };
    expect(await send(role)).toMatchObject(refused);
    expect(await stream(role)).toMatchObject(refused);
    expect(taken).toBe(before);
  });

  test('a message of the user is taken', async () => {
    const before = taken;
    expect((await send(1)).code).toBe(status.OK);
    expect(taken).toBe(before + 1);
  });
});
