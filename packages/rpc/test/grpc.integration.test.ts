import { inspect } from 'node:util';
import { conflict, notFound } from '@stopgo/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  bind,
  type ConnectOptions,
  checkHealth,
  connectGrpc,
  createGrpcClient,
  type GrpcServer,
  type GrpcServerOptions,
  messageBytesMaxDefault,
  type OnInternalError,
  Secret,
  type ServedCall,
  startGrpcServer,
} from '../src/index.ts';
import { aborted, type EchoClient, type EchoImpl, echoImpl, failure, type Opened, readAll, waitFor } from './echo.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';
import { relayTo } from './relay.ts';
import { transportContract } from './transport.contract.ts';

const LOOPBACK = '127.0.0.1:0';
const TOKEN = 'internal-token-0123456789';
const NO_GRACE_MS = 0;
const LONG_GRACE_MS = 10_000;

/** Time in which a stream on the same connection could run ahead of its reader. */
async function roundTrips(client: EchoClient): Promise<void> {
  for (let round = 0; round < 50; round++) await client.echo({});
}

/** A client of `replicas` servers that share one implementation. */
const openReplicas =
  (replicas: number) =>
  async (impl: EchoImpl, onInternalError: OnInternalError): Promise<Opened> => {
    const internalToken = new Secret(TOKEN);
    const services = [bind(EchoService, impl)];
    const servers = await Promise.all(
      Array.from({ length: replicas }, () =>
        startGrpcServer({ address: LOOPBACK, services, internalToken, onInternalError }),
      ),
    );
    const channel = connectGrpc(servers.map(({ address }) => address).join(), { internalToken });
    return {
      client: createGrpcClient(EchoService, channel),
      close: async () => {
        channel.close();
        await Promise.all(servers.map((server) => server.stop(NO_GRACE_MS)));
      },
    };
  };

transportContract('gRPC', openReplicas(1));
transportContract('gRPC, three replicas', openReplicas(3));

describe('gRPC', () => {
  const cleanUp: (() => unknown)[] = [];
  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  const serve = async (parts: Partial<EchoImpl>, options: Partial<GrpcServerOptions> = {}): Promise<GrpcServer> => {
    const services = [bind(EchoService, echoImpl(parts))];
    const server = await startGrpcServer({ address: LOOPBACK, services, ...options });
    cleanUp.push(() => server.stop(NO_GRACE_MS));
    return server;
  };
  const clientOf = (address: string, options?: ConnectOptions): EchoClient => {
    const channel = connectGrpc(address, options);
    cleanUp.push(() => channel.close());
    return createGrpcClient(EchoService, channel);
  };

  test('streams that are given up more often than a connection bears break no call, and can begin again', async () => {
    const server = await serve({
      async *count() {
        for (;;) yield {};
      },
    });
    const client = clientOf(server.address);
    // A server of HTTP/2 bears about a thousand at once.
    const broken = new Set<string>();
    for (let round = 0; round < 80; round += 1) {
      const look = async (): Promise<void> => {
        try {
          for await (const _ of client.count({})) break;
        } catch (error) {
          broken.add((error as { kind: string }).kind);
        }
      };
      const calls = Array.from({ length: 5 }, () => client.echo({}));
      await Promise.all([...Array.from({ length: 25 }, look), ...calls]);
    }
    // What was hit says that it may be tried again.
    expect([...broken].filter((kind) => kind !== 'unavailable')).toEqual([]);
  });

  test('a slow reader holds its producer back', async () => {
    let produced = 0;
    const server = await serve({
      async *count() {
        while (produced < 5_000) yield { value: produced++, payload: new Uint8Array(64 * 1024) };
      },
    });
    const client = clientOf(server.address);
    for await (const _first of client.count({})) {
      await roundTrips(client);
      break;
    }
    expect(produced).toBeGreaterThan(1);
    expect(produced).toBeLessThan(100);
  });

  test('calls without the right internal token are refused and reach nothing', async () => {
    const echo = vi.fn(async () => ({}));
    const count = vi.fn(echoImpl({}).count);
    const server = await serve({ echo, count }, { internalToken: new Secret(TOKEN) });
    const wrong = new Secret(TOKEN.replace('9', '8'));
    for (const client of [clientOf(server.address), clientOf(server.address, { internalToken: wrong })]) {
      for (const error of await Promise.all([client.echo({}), readAll(client.count({ upto: 1 }))].map(failure))) {
        expect([error.kind, error.message]).toEqual(['unauthenticated', expect.stringContaining('internal token')]);
        expect(inspect(error, { depth: 9 })).not.toMatch(/0123456789|012345678\b/);
      }
    }
    expect([echo.mock.calls.length, count.mock.calls.length]).toEqual([0, 0]);
    await clientOf(server.address, { internalToken: new Secret(TOKEN) }).echo({});
    expect(echo).toHaveBeenCalledTimes(1);
  });

  test('an observer is told of each call when it ends, also of streams and of calls that were refused', async () => {
    const served: ServedCall[] = [];
    const onCall = (call: ServedCall) => {
      served.push(call);
      throw new Error('the log is full');
    };
    const ended = async (method: string, ...statuses: ServedCall['status'][]) => {
      await waitFor(() => expect(served.length).toBe(statuses.length));
      const expected = statuses.map((status) => ({ method: `/stopgo.testing.v1.EchoService/${method}`, status }));
      expect(served.splice(0)).toEqual(expected.map((call) => ({ ...call, ms: expect.any(Number) })));
    };
    const internalToken = new Secret(TOKEN);
    const server = await serve(
      {
        echo: async ({ text }) => {
          if (text === 'fail') throw notFound('nothing here');
          if (text === 'defect') throw new Error('a defect');
          return { text };
        },
        async *count({ upto }, { signal }) {
          yield { value: 1 };
          if (upto === 2) throw conflict('enough');
          if (upto === 3) await aborted(signal);
        },
      },
      { onCall, internalToken, onInternalError: () => undefined },
    );
    const client = clientOf(server.address, { internalToken });
    expect((await client.echo({ text: 'x' })).text).toBe('x');
    await ended('Echo', 'ok');
    await failure(client.echo({ text: 'fail' }));
    await failure(client.echo({ text: 'defect' }));
    await ended('Echo', 'not_found', 'internal');
    await failure(clientOf(server.address).echo({}));
    await ended('Echo', 'unauthenticated');
    await readAll(client.count({ upto: 1 }));
    await failure(readAll(client.count({ upto: 2 })));
    await ended('Count', 'ok', 'conflict');
    const stream = client.count({ upto: 3 });
    await stream.next();
    expect(served).toEqual([]);
    await stream.return?.();
    await ended('Count', 'canceled');
    expect(await checkHealth(server.address, LONG_GRACE_MS)).toBe('serving');
    expect(served).toEqual([]);
  });

  test('a peer of a server without a token is not internal', async () => {
    const server = await serve({ echo: async (_request, { peerInternal }) => ({ text: String(peerInternal) }) });
    expect((await clientOf(server.address, { internalToken: new Secret(TOKEN) }).echo({})).text).toBe('false');
  });

  test('a server listens beyond loopback with a token only', async () => {
    for (const address of ['0.0.0.0:0', '[::]:0', '10.0.0.1:0', 'example.test:0']) {
      await expect(startGrpcServer({ address, services: [] })).rejects.toThrow('without an internal token');
    }
    const server = await serve({}, { address: '0.0.0.0:0', internalToken: new Secret(TOKEN) });
    const port = server.address.replace('0.0.0.0:', '');
    expect((await clientOf(`127.0.0.1:${port}`, { internalToken: new Secret(TOKEN) }).echo({ text: 'x' })).text).toBe(
      'x',
    );
  });

  test.each(['short', 'with a space inside it', 'ünïcödé-ünïcödé-ünïcödé'])(
    'the token %j is refused, unsaid',
    async (text) => {
      const internalToken = new Secret(text);
      const refused = /^the internal token must be at least 16 printable ASCII characters$/;
      await expect(startGrpcServer({ address: LOOPBACK, services: [], internalToken })).rejects.toThrow(refused);
      expect(() => connectGrpc('127.0.0.1:1', { internalToken })).toThrow(refused);
    },
  );

  test.each(['127.0.0.1', 'localhost:99999', ':80', '::1:80'])('the address %j is refused', async (address) => {
    await expect(startGrpcServer({ address, services: [] })).rejects.toThrow('expected host:port');
  });

  test('a port in use is one clear line', async () => {
    const { address } = await serve({});
    await expect(startGrpcServer({ address, services: [] })).rejects.toThrow(
      new RegExp(`^cannot listen on ${address}: .*EADDRINUSE[^\n]*$`),
    );
  });

  test('a message over the bound is refused with its size, by whichever side sends it', async () => {
    const payload = new Uint8Array(messageBytesMaxDefault);
    const server = await serve({
      echo: async () => ({ payload }),
      async *count() {
        yield { value: 1 };
        yield { payload };
      },
    });
    const client = clientOf(server.address);
    const calls = [client.echo({ payload }), client.echo({}), readAll(client.count({}))];
    for (const error of await Promise.all(calls.map(failure))) {
      expect([error.kind, error.message, error.details.bytes_max]).toEqual([
        'resource_exhausted',
        expect.stringMatching(/(Request|Response) takes 167772\d\d bytes, more than the 16777216 allowed/),
        String(messageBytesMaxDefault),
      ]);
    }
    expect((await client.echo({}).catch((error: Error) => error.message)).toString()).toContain('EchoResponse');
    const fits = await serve({ echo: async ({ payload: { byteLength } }) => ({ text: String(byteLength) }) });
    const almost = new Uint8Array(messageBytesMaxDefault - 16);
    expect((await clientOf(fits.address).echo({ payload: almost })).text).toBe(String(almost.byteLength));
  });

  test('a producer whose message is refused is freed', async () => {
    const state = { freed: false };
    const server = await serve({
      async *count() {
        try {
          while (true) yield { payload: new Uint8Array(messageBytesMaxDefault) };
        } finally {
          state.freed = true;
        }
      },
    });
    expect((await failure(readAll(clientOf(server.address).count({})))).kind).toBe('resource_exhausted');
    await waitFor(() => expect(state.freed).toBe(true));
  });

  test('a server refuses a message over its own bound, whatever the client believes', async () => {
    const echo = vi.fn(async () => ({}));
    const server = await serve({ echo }, { limits: { messageBytesMax: 1_000 } });
    const error = await failure(clientOf(server.address).echo({ payload: new Uint8Array(2_000) }));
    expect([error.kind, error.message]).toEqual(['resource_exhausted', expect.stringContaining('2003 vs 1000')]);
    expect(echo).not.toHaveBeenCalled();
  });

  test('nobody there, a closed channel, a service that is not served: each its kind', async () => {
    const gone = await startGrpcServer({ address: LOOPBACK, services: [] });
    const other = clientOf(gone.address);
    expect((await failure(other.echo({}))).kind).toBe('unimplemented');
    await gone.stop(NO_GRACE_MS);
    const error = await failure(other.echo({}));
    // What is said may be shown to anybody; where nobody answered is for logs.
    expect([error.kind, error.message]).toEqual(['unavailable', 'the testing service does not answer now; try again']);
    expect(String(error.cause)).toContain(gone.address);
    const channel = connectGrpc(gone.address);
    expect((await failure(channel.ready(100))).kind).toBe('unavailable');
    channel.close();
    const client = createGrpcClient(EchoService, channel);
    expect((await failure(client.echo({}))).kind).toBe('unavailable');
    expect((await failure(readAll(client.count({})))).kind).toBe('unavailable');
  });

  test('a stopping server ends streams, lets unary calls finish, and frees its port', async () => {
    let finish: () => void = () => undefined;
    const state = { started: 0, freed: false };
    const server = await serve({
      echo: async () => {
        state.started++;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { text: 'finished' };
      },
      async *count(_request, { signal }) {
        try {
          yield { value: 1 };
          await aborted(signal);
        } finally {
          state.freed = true;
        }
      },
    });
    const client = clientOf(server.address);
    const unary = client.echo({});
    const stream = client.count({});
    await stream.next();
    await waitFor(() => expect(state.started).toBe(1));
    const stopped = server.stop(LONG_GRACE_MS);
    const error = await failure(stream.next());
    expect([error.kind, error.message]).toEqual(['unavailable', expect.stringContaining('stopping')]);
    expect(state.freed).toBe(true);
    finish();
    expect((await unary).text).toBe('finished');
    await stopped;
    await (await serve({}, { address: server.address })).stop(NO_GRACE_MS);
  });

  test('a stopping server does not wait for a call that never ends', async () => {
    const reasons: unknown[] = [];
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const server = await serve({
      echo: async (_request, { signal }) => {
        void aborted(signal).then((reason) => reasons.push(reason));
        arrive();
        return new Promise(() => undefined);
      },
      async *count() {
        yield { value: 1 };
        await new Promise(() => undefined);
      },
    });
    const client = clientOf(server.address);
    const stream = client.count({});
    await stream.next();
    const ended = Promise.all([failure(client.echo({})), failure(stream.next())]);
    await arrived;
    await server.stop(NO_GRACE_MS);
    expect((await ended).map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
    expect(reasons).toEqual([expect.objectContaining({ kind: 'unavailable' })]);
  });

  test('a stopping server does not wait for a reader that stalls', async () => {
    const state = { freed: false };
    const server = await serve({
      async *count() {
        try {
          while (true) yield { payload: new Uint8Array(64 * 1024) };
        } finally {
          state.freed = true;
        }
      },
    });
    const client = clientOf(server.address);
    const stream = client.count({});
    await stream.next();
    await roundTrips(client);
    await server.stop(NO_GRACE_MS);
    expect(state.freed).toBe(true);
    // The connection is gone: what was still on its way, the farewell too, never arrives.
    const error = await failure(readAll(stream));
    expect([error.kind, error.message]).toEqual(['unavailable', expect.not.stringContaining('stopping')]);
  });

  test('a server that vanishes in the middle of a call is unavailable', async () => {
    const server = await serve({ echo: () => new Promise(() => undefined) });
    const relay = await relayTo(server.address);
    cleanUp.push(relay.close);
    const client = clientOf(relay.address);
    const stream = client.count({ upto: 1_000_000 });
    await stream.next();
    const ended = Promise.all([failure(client.echo({})), failure(readAll(stream))]);
    await clientOf(server.address).count({ upto: 1 }).next();
    relay.cut();
    expect((await ended).map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  });

  test('a client finds its server again', async () => {
    const first = await serve({});
    const client = clientOf(first.address);
    await client.echo({});
    await first.stop(NO_GRACE_MS);
    await serve({ echo: async () => ({ text: 'second' }) }, { address: first.address });
    await waitFor(async () => expect((await client.echo({})).text).toBe('second'));
  });
});
