// The standard health service, as an orchestrator of containers asks it: with grpc-js alone and without our token.
import { Client, type ClientReadableStream, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { service } from 'grpc-health-check';
import { afterEach, expect, test } from 'vitest';
import { bind, checkHealth, type GrpcServer, type GrpcServerOptions, Secret, startGrpcServer } from '../src/index.ts';
import { echoImpl, failure, waitFor } from './echo.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';
import { startReplica } from './replica.ts';

const TIMEOUT_MS = 10_000;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function serve(options: Partial<GrpcServerOptions> = {}): Promise<GrpcServer> {
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [bind(EchoService, echoImpl({}))],
    internalToken: new Secret('internal-token-0123456789'),
    ...options,
  });
  cleanUp.push(() => server.stop(0));
  return server;
}

function foreignClient(address: string): Client {
  const client = new Client(address, credentials.createInsecure());
  cleanUp.push(() => client.close());
  return client;
}

/** What a watch of `name` says, as it says it. */
function watch(address: string, name: string) {
  const { path, requestSerialize, responseDeserialize } = service.Watch ?? {};
  if (path === undefined || requestSerialize === undefined || responseDeserialize === undefined)
    throw new Error('none');
  const call: ClientReadableStream<object> = foreignClient(address).makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    { service: name },
    new Metadata(),
  );
  const said: unknown[] = [];
  call.on('data', ({ status }: { status?: unknown }) => said.push(status));
  call.on('error', () => undefined);
  const ended = new Promise((resolve) => call.once('status', resolve));
  return { said, call, ended };
}

test('a server is healthy at once or when it says so, and answers without the token', async () => {
  const server = await serve();
  expect(await checkHealth(server.address, TIMEOUT_MS)).toBe('serving');
  const late = await serve({ serving: false });
  expect(await checkHealth(late.address, TIMEOUT_MS)).toBe('not_serving');
  late.serving(true);
  expect(await checkHealth(late.address, TIMEOUT_MS)).toBe('serving');
  late.serving(false);
  expect(await checkHealth(late.address, TIMEOUT_MS)).toBe('not_serving');
});

test('a watch sees each change, of the server and of each of its services; a stop ends it', async () => {
  const server = await serve({ serving: false });
  const watches = ['', 'stopgo.testing.v1.EchoService'].map((name) => watch(server.address, name));
  const unknown = watch(server.address, 'another.Service');
  const gone = watch(server.address, '');
  for (const { said } of [...watches, gone]) await waitFor(() => expect(said).toEqual(['NOT_SERVING']));
  await waitFor(() => expect(unknown.said).toEqual(['SERVICE_UNKNOWN']));
  gone.call.cancel();
  await gone.ended;
  server.serving(true);
  for (const { said } of watches) await waitFor(() => expect(said).toEqual(['NOT_SERVING', 'SERVING']));

  // Watches have no end of their own: a stop that waited for them would use up its grace and the test's time.
  const stopped = server.stop(60_000);
  server.serving(true);
  await stopped;
  for (const { said, ended } of watches) {
    await ended;
    await waitFor(() => expect(said).toEqual(['NOT_SERVING', 'SERVING', 'NOT_SERVING']));
  }
  expect(gone.said).toEqual(['NOT_SERVING']);
});

test('nobody there, nobody awake, no health service, no address: each is told', async () => {
  const server = await serve();
  await server.stop(0);
  expect((await failure(checkHealth(server.address, TIMEOUT_MS))).kind).toBe('unavailable');

  const frozen = await startReplica();
  cleanUp.push(() => frozen.signal('SIGKILL'));
  frozen.signal('SIGSTOP');
  const error = await failure(checkHealth(frozen.address, 300));
  expect([error.kind, error.message]).toEqual(['unavailable', expect.stringContaining('within 300 ms')]);

  const foreign = new Server();
  cleanUp.push(() => foreign.forceShutdown());
  const port = await new Promise<number>((resolve) => {
    foreign.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) => resolve(bound));
  });
  expect((await failure(checkHealth(`127.0.0.1:${port}`, TIMEOUT_MS))).kind).toBe('unimplemented');
  await expect(checkHealth('nowhere', TIMEOUT_MS)).rejects.toThrow('expected host:port');
});
