// Where unary calls share a stream: what breaks, ends, fills or abuses the stream, and what becomes of the calls on it.
import { toBinary } from '@bufbuild/protobuf';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js';
import { deadlineExceeded } from '@stopgo/core';
import { afterEach, describe, expect, test } from 'vitest';
import { exchangeUnreadBytesMax } from '../src/bounds.ts';
import {
  type ClientFrame,
  decodeServerFrames,
  encodeClientFrames,
  encodeServerFrames,
  exchangePath,
  type ServerFrame,
} from '../src/exchange-frames.ts';
import {
  bind,
  type ConnectOptions,
  connectGrpc,
  createGrpcClient,
  type GrpcServer,
  type GrpcServerOptions,
  startGrpcServer,
} from '../src/index.ts';
import { aborted, type EchoClient, type EchoImpl, echoImpl, failure, waitFor } from './echo.ts';
import { EchoRequestSchema, EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';
import { relayTo } from './relay.ts';

const ECHO = '/stopgo.testing.v1.EchoService/Echo';
const GARBAGE = Buffer.from([0xff, 0xff, 0xff]);
const LONG_GRACE_MS = 60_000;
const asIs = (bytes: Buffer): Buffer => bytes;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function serve(echo: EchoImpl['echo'], options: Partial<GrpcServerOptions> = {}): Promise<GrpcServer> {
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [bind(EchoService, echoImpl({ echo }))],
    ...options,
  });
  cleanUp.push(() => server.stop(0));
  return server;
}

function clientOf(addresses: readonly string[], options?: ConnectOptions): EchoClient {
  const channel = connectGrpc(addresses.join(), options);
  cleanUp.push(() => channel.close());
  return createGrpcClient(EchoService, channel);
}

/** An implementation whose calls wait until the gate opens, and the texts it was called with. */
function gated() {
  const seen: string[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const echo: EchoImpl['echo'] = async ({ text }) => {
    seen.push(text);
    await gate;
    return { text };
  };
  return { seen, open: () => open(), echo };
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `call ${index}`);

describe('the calls on a stream', () => {
  test('are lost with it and none is made twice; the next goes on a new one', async () => {
    const { seen, echo, open } = gated();
    const server = await serve(echo);
    const relay = await relayTo(server.address);
    cleanUp.push(relay.close);
    const client = clientOf([relay.address]);
    const outcomes = Promise.all(texts(5).map((text) => failure(client.echo({ text }))));
    await waitFor(() => expect(seen.length).toBe(5));
    relay.cut();
    expect((await outcomes).map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'unavailable'));
    open();
    await waitFor(async () => expect((await client.echo({ text: 'next' })).text).toBe('next'));
    expect(seen).toEqual([...texts(5), 'next']);
  });

  test('are canceled at the server when it is cut', async () => {
    const reasons: unknown[] = [];
    let arrived = 0;
    const server = await serve(async (_request, { signal }) => {
      arrived++;
      reasons.push(await aborted(signal));
      return {};
    });
    const relay = await relayTo(server.address);
    cleanUp.push(relay.close);
    const lost = failure(clientOf([relay.address]).echo({}));
    await waitFor(() => expect(arrived).toBe(1));
    relay.cut();
    await waitFor(() => expect(reasons).toEqual([expect.objectContaining({ kind: 'canceled' })]));
    expect((await lost).kind).toBe('unavailable');
  });

  test('finish when its server leaves; those that come then go elsewhere, each once', async () => {
    const leaving = gated();
    const staying: string[] = [];
    const connected = new Set<number>();
    const first = await serve(async (request, context) => {
      if (request.text !== '') return leaving.echo(request, context);
      connected.add(1);
      return {};
    });
    const second = await serve(async ({ text }) => {
      if (text !== '') staying.push(text);
      else connected.add(2);
      return { text };
    });
    const client = clientOf([first.address, second.address]);
    await waitFor(async () => {
      await client.echo({});
      expect(connected.size).toBe(2);
    });
    const early = texts(20).map((text) => client.echo({ text }));
    await waitFor(() => expect([leaving.seen.length, staying.length]).toEqual([10, 10]));
    // Some of these are on their way when it leaves.
    const late = texts(40).map((text) => client.echo({ text: `late ${text}` }));
    const stopped = first.stop(LONG_GRACE_MS);
    await Promise.all(texts(40).map((text) => client.echo({ text: `later ${text}` })));
    leaving.open();
    const answers = (await Promise.all([...early, ...late])).map(({ text }) => text);
    expect(answers).toEqual([...texts(20), ...texts(40).map((text) => `late ${text}`)]);
    await stopped;
    const all = [...leaving.seen, ...staying];
    expect([all.length, new Set(all).size]).toEqual([100, 100]);
    expect(leaving.seen.filter((text) => text.startsWith('later'))).toEqual([]);
  });

  test('that were on their way to a server which leaves with nothing else to do are made elsewhere', async () => {
    const leaving: string[] = [];
    const staying: string[] = [];
    const first = await serve(async ({ text }) => {
      leaving.push(text);
      return { text };
    });
    const relay = await relayTo(first.address);
    cleanUp.push(relay.close);
    const second = await serve(async ({ text }) => {
      staying.push(text);
      return { text };
    });
    const client = clientOf([relay.address, second.address]);
    await waitFor(async () => {
      await client.echo({ text: 'before' });
      expect([leaving.length, staying.length]).not.toContain(0);
    });
    relay.hold();
    const calls = Promise.allSettled(texts(10).map((text) => client.echo({ text })));
    await waitFor(() => expect(staying.filter((text) => text !== 'before').length).toBe(5));
    const stopped = first.stop(LONG_GRACE_MS);
    // Until it has said so, and would have been gone if it did not wait for what may be on its way.
    const beside = clientOf([second.address]);
    for (let round = 0; round < 50; round++) await beside.echo({ text: 'before' });
    relay.goOn();
    expect(await calls).toMatchObject(texts(10).map((text) => ({ status: 'fulfilled', value: { text } })));
    await stopped;
    expect(leaving.filter((text) => text !== 'before')).toEqual([]);
  });

  test('finish at a server that leaves while the next one at its address takes the others', async () => {
    const leaving = gated();
    const first = await serve(leaving.echo);
    const client = clientOf([first.address]);
    const early = client.echo({ text: 'early' });
    await waitFor(() => expect(leaving.seen).toEqual(['early']));
    const stopped = first.stop(LONG_GRACE_MS);
    await serve(async () => ({ text: 'next' }), { address: first.address });
    await waitFor(async () => expect((await client.echo({})).text).toBe('next'));
    leaving.open();
    expect((await early).text).toBe('early');
    await stopped;
    expect(leaving.seen).toEqual(['early']);
  });

  test('finish when their channel is closed, as gRPC calls do; the stream ends after them', async () => {
    const { seen, echo, open } = gated();
    const server = await serve(echo);
    const channel = connectGrpc(server.address);
    const client = createGrpcClient(EchoService, channel);
    const call = client.echo({ text: 'under way' });
    await waitFor(() => expect(seen).toEqual(['under way']));
    channel.close();
    expect((await failure(client.echo({ text: 'later' }))).kind).toBe('unavailable');
    open();
    expect((await call).text).toBe('under way');
    // Waits for every stream: this one, too, has ended.
    await server.stop(LONG_GRACE_MS);
    expect(seen).toEqual(['under way']);
  });

  test('a large answer does not hold up small ones', async () => {
    const payload = Buffer.alloc(4 * 1024 * 1024, 'stop and go ');
    const server = await serve(async ({ text }) => (text === 'large' ? { text, payload } : { text }));
    const client = clientOf([server.address]);
    const order: string[] = [];
    const answered = async (text: string) => {
      const answer = await client.echo({ text });
      order.push(text);
      return answer;
    };
    const [large] = await Promise.all(['large', 'also', ...texts(20)].map(answered));
    expect(order.at(-1)).toBe('large');
    expect(Buffer.from(large?.payload ?? []).equals(payload)).toBe(true);
    const both = Promise.all([answered('large'), answered('large')]);
    const between: string[] = [];
    while (!Array.isArray(await Promise.race([both, answered('small')]))) between.push('small');
    expect(between.length).toBeGreaterThan(2);
    for (const answer of await both) expect(answer.payload.byteLength).toBe(payload.byteLength);
  });

  test('learn why their caller left, and are counted once', async () => {
    const served: string[] = [];
    const reasons: unknown[] = [];
    const server = await serve(
      async (_request, { signal }) => {
        reasons.push(await aborted(signal));
        return {};
      },
      { onCall: (call) => served.push(call.status) },
    );
    const client = clientOf([server.address]);
    const outer = new AbortController();
    const call = failure(client.echo({}, { timeoutMs: LONG_GRACE_MS, context: { signal: outer.signal } }));
    const other = failure(client.echo({}, { timeoutMs: 100 }));
    expect((await other).kind).toBe('deadline_exceeded');
    outer.abort(deadlineExceeded('the outer call'));
    expect((await call).message).toBe('the outer call');
    await waitFor(() => expect(served).toEqual(['deadline_exceeded', 'deadline_exceeded']));
    expect(reasons).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ kind: 'deadline_exceeded' })));
  });

  test('wait while as many as may be are open; one that is given up while it waits is never made', async () => {
    const { seen, echo, open } = gated();
    const server = await serve(echo);
    const client = clientOf([server.address], { limits: { callsMax: 2 } });
    const leave = new AbortController();
    const calls = texts(2).map((text) => client.echo({ text }));
    await waitFor(() => expect(seen).toEqual(texts(2)));
    const given = failure(client.echo({ text: 'given up' }, { signal: leave.signal }));
    const others = ['a', 'b', 'c'].map((text) => client.echo({ text }));
    // On a stream of its own, so that what the first had to send is there.
    const beside = clientOf([server.address]);
    const passing = beside.echo({ text: 'passing' });
    await waitFor(() => expect(seen).toEqual([...texts(2), 'passing']));
    leave.abort();
    expect((await given).kind).toBe('canceled');
    open();
    await Promise.all([...calls, ...others, passing]);
    expect(seen).toEqual([...texts(2), 'passing', 'a', 'b', 'c']);
  });

  test('a replica whose stream cannot be opened is passed over', async () => {
    const closed = await foreign((stream) =>
      stream.emit('error', Object.assign(new Error('no'), { code: status.UNAVAILABLE })),
    );
    const server = await serve(async ({ text }) => ({ text }));
    const client = clientOf([closed, server.address]);
    await client.echo({});
    const answers = await Promise.all(texts(10).map((text) => client.echo({ text })));
    expect(answers.map(({ text }) => text)).toEqual(texts(10));
    expect((await failure(clientOf([closed]).echo({}))).kind).toBe('unavailable');
  });
});

/** The address of a server that serves nothing but the exchange, and that so. */
async function foreign(serveExchange: (stream: ServerDuplexStream<Buffer, Buffer>) => void): Promise<string> {
  const server = new Server();
  server.register(exchangePath, serveExchange, asIs, asIs, 'bidi');
  cleanUp.push(() => server.forceShutdown());
  const port = await new Promise<number>((resolve) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) => resolve(bound));
  });
  return `127.0.0.1:${port}`;
}

/** An exchange opened with grpc-js alone. */
function exchangeWith(address: string): ClientDuplexStream<Buffer, Buffer> {
  const client = new Client(address, credentials.createInsecure());
  cleanUp.push(() => client.close());
  const stream = client.makeBidiStreamRequest<Buffer, Buffer>(exchangePath, asIs, asIs);
  cleanUp.push(() => stream.cancel());
  return stream.on('error', () => undefined);
}

function callFrame(callId: number, method = ECHO): ClientFrame {
  const request = toBinary(EchoRequestSchema, {
    $typeName: 'stopgo.testing.v1.EchoRequest',
    text: String(callId),
    payload: new Uint8Array(),
  });
  return { callId, frame: { case: 'call', value: { $typeName: 'stopgo.rpc.v1.Call', method, request } } };
}

const NO_FRAME = encodeClientFrames([{ callId: 1, frame: { case: undefined } }]);

// Ten thousand calls and sixty megabytes take seconds on a busy machine.
describe('a peer that breaks the rules', { timeout: 30_000 }, () => {
  test.each<[string, readonly Buffer[]]>([
    ['no frames', [GARBAGE]],
    ['does not know', [NO_FRAME]],
    ['call 1 is open already', [encodeClientFrames([callFrame(1), callFrame(1)])]],
    ['call 0', [encodeClientFrames([callFrame(0)])]],
    [
      'more than 10000 open calls',
      Array.from({ length: 101 }, (_, message) =>
        encodeClientFrames(Array.from({ length: 100 }, (_one, index) => callFrame(1 + 100 * message + index))),
      ),
    ],
  ])('as a client (%s) ends its own stream and calls, and nothing else', async (said, messages) => {
    let canceled = 0;
    let release: () => void = () => undefined;
    const server = await serve(async ({ text }, { signal }) => {
      if (text === 'other') {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return { text };
      }
      await aborted(signal);
      canceled++;
      return {};
    });
    const other = clientOf([server.address]).echo({ text: 'other' });
    const stream = exchangeWith(server.address);
    const ended = new Promise<unknown>((resolve) => stream.once('status', resolve));
    stream.resume();
    stream.write(encodeClientFrames([callFrame(100_000)]));
    for (const message of messages) stream.write(message);
    expect(await ended).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining(said) });
    await waitFor(() => expect(canceled).toBeGreaterThan(0));
    release();
    expect((await other).text).toBe('other');
  });

  const answer = (callId: number): ServerFrame => ({ callId, frame: { case: 'answer', value: Buffer.alloc(0) } });
  test.each<[string, Buffer]>([
    ['no frames', GARBAGE],
    ['call 7, which is not open', encodeServerFrames([answer(7)])],
    ['does not know', encodeServerFrames([{ callId: 1, frame: { case: undefined } }])],
    ['no description', encodeServerFrames([{ callId: 1, frame: { case: 'failure', value: GARBAGE } }])],
  ])('as a server (%s) ends its own stream; the calls on it are lost, and not made again', async (said, message) => {
    let streams = 0;
    const address = await foreign((stream) => {
      const bad = ++streams === 1;
      stream.sendMetadata(stream.metadata);
      stream.on('data', () => stream.write(bad ? message : encodeServerFrames([answer(1)])));
    });
    const client = clientOf([address]);
    const error = await failure(client.echo({}));
    expect([error.kind, String(error.cause)]).toEqual(['unavailable', expect.stringContaining(said)]);
    expect(streams).toBe(1);
    expect((await client.echo({})).text).toBe('');
  });

  test('as a client that sends garbage over the wire is not told what it may not know', async () => {
    const server = await serve(async () => ({}));
    const stream = exchangeWith(server.address);
    const first = new Promise<Buffer>((resolve) => stream.once('data', resolve));
    stream.write(encodeClientFrames([callFrame(5, '/no.such.Service/Method')]));
    expect(decodeServerFrames(await first)).toMatchObject([{ callId: 5, frame: { case: 'failure' } }]);
  });

  test('as a client that does not read is not read either', async () => {
    const payload = new Uint8Array(1024 * 1024);
    let started = 0;
    const server = await serve(async ({ text }) => {
      if (text === '') return {};
      started++;
      return { payload };
    });
    const stream = exchangeWith(server.address);
    for (let callId = 1; callId <= 60; callId++) stream.write(encodeClientFrames([callFrame(callId)]));
    await waitFor(() => expect(started * payload.byteLength).toBeGreaterThan(exchangeUnreadBytesMax));
    const beside = clientOf([server.address]);
    for (let round = 0; round < 50; round++) await beside.echo({});
    expect(started).toBeLessThan(40);
    stream.resume();
    await waitFor(() => expect(started).toBe(60));
  });
});
