// Peers that are not ours: what comes over the wire is judged, not believed.
import { once } from 'node:events';
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { toBinary } from '@bufbuild/protobuf';
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { ErrorKind } from '@stopgo/core';
import { afterEach, expect, test, vi } from 'vitest';
import { bind, connectGrpc, createGrpcClient, Secret, startGrpcServer } from '../src/index.ts';
import { type EchoClient, echoImpl, failure, readAll, waitFor } from './echo.ts';
import { EchoRequestSchema, EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';

const TOKEN = 'internal-token-0123456789';
const GARBAGE = Buffer.from([0xff, 0xff, 0xff]);
const asIs = (bytes: Buffer): Buffer => bytes;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** Our client of a server written with grpc-js alone. */
async function clientOfForeign(handlers: {
  echo?: (callback: sendUnaryData<Buffer>) => void;
  count?: (call: ServerWritableStream<Buffer, Buffer>) => void;
}): Promise<EchoClient> {
  const server = new Server();
  const path = (name: string) => `/stopgo.testing.v1.EchoService/${name}`;
  server.register(
    path('Echo'),
    (_call: unknown, callback: sendUnaryData<Buffer>) => handlers.echo?.(callback),
    asIs,
    asIs,
    'unary',
  );
  server.register(
    path('Count'),
    (call: ServerWritableStream<Buffer, Buffer>) => handlers.count?.(call),
    asIs,
    asIs,
    'serverStream',
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const channel = connectGrpc(`127.0.0.1:${port}`);
  cleanUp.push(
    () => server.forceShutdown(),
    () => channel.close(),
  );
  return createGrpcClient(EchoService, channel);
}

/** Calls our server with grpc-js alone; gives the status it answers. */
async function statusFromOurs(bytes: Buffer, headers: Record<string, string | Buffer>): Promise<ServiceError | null> {
  const internalToken = new Secret(TOKEN);
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [bind(EchoService, echoImpl({}))],
    internalToken,
  });
  const client = new Client(server.address, credentials.createInsecure());
  cleanUp.push(
    () => server.stop(0),
    () => client.close(),
  );
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  return new Promise((resolve) => {
    client.makeUnaryRequest('/stopgo.testing.v1.EchoService/Echo', asIs, asIs, bytes, metadata, (error) =>
      resolve(error),
    );
  });
}

test.each<[status, ErrorKind]>([
  [status.CANCELLED, 'unavailable'],
  [status.UNKNOWN, 'internal'],
  [status.INVALID_ARGUMENT, 'invalid_argument'],
  [status.DEADLINE_EXCEEDED, 'deadline_exceeded'],
  [status.NOT_FOUND, 'not_found'],
  [status.ALREADY_EXISTS, 'conflict'],
  [status.PERMISSION_DENIED, 'permission_denied'],
  [status.RESOURCE_EXHAUSTED, 'resource_exhausted'],
  [status.FAILED_PRECONDITION, 'failed_precondition'],
  [status.ABORTED, 'conflict'],
  [status.OUT_OF_RANGE, 'invalid_argument'],
  [status.UNIMPLEMENTED, 'unimplemented'],
  [status.INTERNAL, 'internal'],
  [status.UNAVAILABLE, 'unavailable'],
  [status.DATA_LOSS, 'data_loss'],
  [status.UNAUTHENTICATED, 'unauthenticated'],
])('a bare status %i is an error of kind %s', async (code, kind) => {
  const client = await clientOfForeign({ echo: (callback) => callback({ code, details: 'said so' }) });
  expect((await failure(client.echo({}))).kind).toBe(kind);
});

test.each([
  'no JSON',
  '{"kind":"made_up","message":"m","details":{}}',
  '{"kind":"conflict","message":"m","details":{"a":1}}',
])('a malformed error description (%s) is passed over for the status', async (text) => {
  const metadata = new Metadata();
  metadata.set('stopgo-error-bin', Buffer.from(text));
  const echo = (callback: sendUnaryData<Buffer>) => callback({ code: status.NOT_FOUND, details: 'said so', metadata });
  const error = await failure((await clientOfForeign({ echo })).echo({}));
  expect([error.kind, error.message]).toEqual(['not_found', expect.stringContaining('said so')]);
});

test('an answer that cannot be decoded is data loss, and ends its stream', async () => {
  const canceled = vi.fn();
  const client = await clientOfForeign({
    echo: (callback) => callback(null, GARBAGE),
    count: (call) => {
      void once(call, 'cancelled').then(canceled);
      call.write(GARBAGE);
    },
  });
  expect((await failure(client.echo({}))).kind).toBe('data_loss');
  expect((await failure(readAll(client.count({})))).kind).toBe('data_loss');
  await waitFor(() => expect(canceled).toHaveBeenCalledTimes(1));
});

test.each<[string, Buffer, Record<string, string | Buffer>]>([
  ['request', GARBAGE, {}],
  ['session id', Buffer.alloc(0), { 'stopgo-session-id': 'no spaces' }],
  ['traceparent', Buffer.alloc(0), { traceparent: 'nonsense' }],
  ['principal', Buffer.alloc(0), { 'stopgo-principal-bin': Buffer.from('{"kind":"root"}') }],
  ['principal', Buffer.alloc(0), { 'stopgo-principal-bin': Buffer.from('{') }],
])('a server refuses a malformed %s', async (part, bytes, headers) => {
  const error = await statusFromOurs(bytes, { 'stopgo-internal-token': TOKEN, ...headers });
  expect([error?.code, error?.details]).toEqual([status.INVALID_ARGUMENT, expect.stringContaining(part)]);
});

test('a server serves any gRPC client that has the token', async () => {
  const request = Buffer.from(
    toBinary(EchoRequestSchema, { $typeName: 'stopgo.testing.v1.EchoRequest', text: 'x', payload: GARBAGE }),
  );
  expect(await statusFromOurs(request, { 'stopgo-internal-token': TOKEN })).toBeNull();
});

/** How often a call arrives at a server that does this with each stream, and how the call ends. */
async function arrivals(treat: (stream: ServerHttp2Stream, count: number) => void) {
  let count = 0;
  const server = createServer();
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    treat(stream, ++count);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const channel = connectGrpc(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanUp.push(
    () => server.close(),
    () => channel.close(),
  );
  const { kind } = await failure(createGrpcClient(EchoService, channel).echo({}));
  // Whatever is sent again by itself is sent before this.
  await failure(createGrpcClient(EchoService, channel).echo({}, { timeoutMs: 200 }));
  return { count, kind };
}

test('a call that a server refuses unseen is sent once more', async () => {
  const seen: number[] = [];
  const { kind } = await arrivals((stream, count) => {
    seen.push(count);
    if (count === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (count === 2) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  expect([kind, seen]).toEqual(['unavailable', [1, 2, 3]]);
});

test.each<[string, ErrorKind, (stream: ServerHttp2Stream) => void]>([
  ['answered with "unavailable"', 'unavailable', (stream) => unavailableOn(stream)],
  ['broken off', 'unavailable', (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ['lost with its connection', 'unavailable', (stream) => stream.session?.destroy()],
])('a call that is %s is not sent again', async (_what, expected, treat) => {
  const { kind, count } = await arrivals((stream, arrived) => {
    if (arrived === 1) treat(stream);
  });
  expect([kind, count]).toEqual([expected, 2]);
});

const unavailableOn = (stream: ServerHttp2Stream): void =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status.UNAVAILABLE) },
    { endStream: true },
  );
