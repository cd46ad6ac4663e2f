// Several replicas behind one channel, over real sockets and, where one dies or freezes, in real processes.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  bind,
  type ConnectOptions,
  connectGrpc,
  createGrpcClient,
  type GrpcChannel,
  startGrpcServer,
} from '../src/index.ts';
import { type EchoClient, echoImpl, failure, readAll, waitFor } from './echo.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';
import { relayTo } from './relay.ts';
import { type Replica, startReplica } from './replica.ts';

/** Longer than a frozen replica may keep a call, shorter than a test may take. */
const PATIENT_MS = 15_000;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A server in this process whose answers are its address. */
async function serve(address = '127.0.0.1:0'): Promise<string> {
  const echo = async () => ({ text: server.address });
  const server = await startGrpcServer({ address, services: [bind(EchoService, echoImpl({ echo }))] });
  cleanUp.push(() => server.stop(0));
  return server.address;
}

async function replica(address?: string): Promise<Replica> {
  const started = await startReplica(address);
  cleanUp.push(async () => {
    started.signal('SIGKILL');
    await started.ended;
  });
  return started;
}

function channelTo(addresses: string | readonly string[], options?: ConnectOptions): GrpcChannel {
  const channel = connectGrpc([addresses].flat().join(','), options);
  cleanUp.push(() => channel.close());
  return channel;
}
const clientOf = (...args: Parameters<typeof channelTo>): EchoClient =>
  createGrpcClient(EchoService, channelTo(...args));

/** Who answered `calls` calls made one after another: the first word of each answer, counted. */
async function answers(client: EchoClient, calls: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let call = 0; call < calls; call++) {
    const [who = ''] = (await client.echo({}, { timeoutMs: PATIENT_MS })).text.split(' ');
    counts.set(who, (counts.get(who) ?? 0) + 1);
  }
  return counts;
}

/** Where a server listens that does this with each connection and says nothing. */
async function listen(treat: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    treat(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Waits until the next calls are answered by exactly these. */
const answeredBy = (client: EchoClient, expected: readonly string[]) =>
  waitFor(async () => {
    const seen = await answers(client, 2 * expected.length);
    expect([...seen.keys()].sort()).toEqual([...expected].sort());
  });

describe('balance', () => {
  test('calls take turns over all addresses, each named once or twice, of either family', async () => {
    const servers = [await serve(), await serve(), await serve('[::1]:0')];
    const client = clientOf([...servers, servers[0] ?? ''].join(' , '));
    await answeredBy(client, servers);
    expect(await answers(client, 30)).toEqual(new Map(servers.map((server) => [server, 10])));
    expect((await readAll(client.count({ upto: 3 }))).length).toBe(3);
  });

  test('in a long list the few that live are found', async () => {
    const servers = [await serve(), await serve()];
    // Nothing listens on port 1.
    const dead = Array.from({ length: 250 }, (_, index) => `127.0.1.${index + 1}:1`);
    await answeredBy(clientOf([...dead, ...servers]), servers);
  });

  test('a replica that starts later is used, and so is one that comes back', async () => {
    const first = await startGrpcServer({ address: '127.0.0.1:0', services: [] });
    const late = first.address;
    await first.stop(0);
    const early = await serve();
    const client = clientOf([late, early]);
    await answeredBy(client, [early]);
    for (let round = 0; round < 2; round++) {
      const echo = async () => ({ text: late });
      const server = await startGrpcServer({ address: late, services: [bind(EchoService, echoImpl({ echo }))] });
      cleanUp.push(() => server.stop(0));
      await answeredBy(client, [late, early]);
      await server.stop(0);
      await answeredBy(client, [early]);
    }
  });

  test.each([
    ['', '""'],
    ['127.0.0.1:1,', '""'],
    ['127.0.0.1:1,,127.0.0.1:2', '""'],
    ['127.0.0.1:1;127.0.0.1:2', '127.0.0.1:1;127.0.0.1:2'],
    ['good:1,bad', '"bad"'],
    ['::1:80', '"::1:80"'],
    ['[1.2.3.4]:80', '"[1.2.3.4]:80"'],
    ['[::g]:80', '"[::g]:80"'],
    ['1.2.3:80', '"1.2.3:80"'],
    ['300.1.1.1:80', '"300.1.1.1:80"'],
    ['http://store:80', '"http://store:80"'],
    ['store/:80', '"store/:80"'],
    ['store:70000', '"store:70000"'],
    ['store:0', 'port 0'],
    [Array.from({ length: 257 }, (_, index) => `store-${index}:80`).join(), '257 addresses'],
  ])('the addresses %j are refused', (addresses, said) => {
    expect(() => connectGrpc(addresses)).toThrow(said);
  });

  test('an error of a long list names a few', async () => {
    const dead = Array.from({ length: 100 }, (_, index) => `127.0.1.${index + 1}:1`);
    const error = await failure(clientOf(dead).echo({}));
    expect(String(error.cause)).toContain('at 127.0.1.1:1, 127.0.1.2:1, 127.0.1.3:1 and 97 more:');
  });
});

describe('names', () => {
  test('a name of this machine is found', async () => {
    const address = await serve();
    await answeredBy(clientOf(address.replace('127.0.0.1', 'localhost')), [address]);
  });

  test('a name stands for all its addresses, also those it gets and loses later', async () => {
    const first = await serve();
    const second = await serve(first.replace('127.0.0.1', '127.0.0.2'));
    const third = await serve();
    let known: readonly string[] = ['127.0.0.1'];
    const lookup = async (name: string) => {
      if (name !== 'replicas.test' || known.length === 0) throw new Error('ENOTFOUND');
      return known;
    };
    const client = clientOf([first.replace('127.0.0.1', 'replicas.test'), third], { lookup, limits: { lookupMs: 20 } });
    await answeredBy(client, [first, third]);
    known = ['127.0.0.2', '127.0.0.1', '127.0.0.2'];
    await answeredBy(client, [first, second, third]);
    expect(await answers(client, 30)).toEqual(new Map([first, second, third].map((server) => [server, 10])));
    known = ['127.0.0.2'];
    await answeredBy(client, [second, third]);
  });

  test('the connection to an address that a name loses is given up', async () => {
    const relay = await relayTo(await serve());
    cleanUp.push(relay.close);
    let known: readonly string[] = ['127.0.0.1'];
    const lookup = async () => known;
    const client = clientOf(relay.address.replace('127.0.0.1', 'replicas.test'), { lookup, limits: { lookupMs: 5 } });
    await client.echo({});
    expect(relay.isInUse()).toBe(true);
    known = ['127.0.0.2'];
    await waitFor(() => expect(relay.isInUse()).toBe(false));
  });

  test('a name that changes all the time, where nobody answers, makes calls unavailable, not endless', async () => {
    const silent = await listen(() => undefined);
    let looked = 0;
    const lookup = async () => ['127.0.0.1', `127.0.1.${(looked++ % 200) + 1}`];
    const client = clientOf(silent.replace('127.0.0.1', 'replicas.test'), { lookup, limits: { lookupMs: 20 } });
    expect((await failure(client.echo({}, { timeoutMs: PATIENT_MS }))).kind).toBe('unavailable');
  });

  test('a name that cannot be looked up any more keeps its addresses', async () => {
    const address = await serve();
    let failed = 0;
    let known: readonly string[] = ['127.0.0.1'];
    const lookup = async () => {
      if (known.length > 0) return known;
      failed++;
      throw new Error('EAI_AGAIN');
    };
    const client = clientOf(address.replace('127.0.0.1', 'replicas.test'), { lookup, limits: { lookupMs: 5 } });
    await answeredBy(client, [address]);
    known = [];
    await waitFor(() => expect(failed).toBeGreaterThan(3));
    await answeredBy(client, [address]);
  });

  test('a name that gets its first address later is found', async () => {
    const address = await serve();
    let known: readonly string[] | undefined;
    const lookup = async () => {
      if (known === undefined) throw new Error('ENOTFOUND');
      return known;
    };
    const client = clientOf(address.replace('127.0.0.1', 'replicas.test'), { lookup });
    const error = await failure(client.echo({}));
    expect([error.kind, String(error.cause)]).toEqual([
      'unavailable',
      expect.stringContaining('replicas.test: the name has no address'),
    ]);
    known = ['127.0.0.1'];
    await waitFor(async () => expect((await client.echo({})).text).toBe(address));
  });

  test('a name server that never answers makes calls unavailable, not endless', async () => {
    const client = clientOf('replicas.test:80', { lookup: () => new Promise(() => undefined) });
    expect((await failure(client.echo({}, { timeoutMs: PATIENT_MS }))).kind).toBe('unavailable');
    expect((await failure(readAll(client.count({}, { timeoutMs: PATIENT_MS })))).kind).toBe('unavailable');
  });
});

// Processes start and keepalives run out: seconds each, and more on a busy machine.
describe('faults', { timeout: 60_000 }, () => {
  test('a server that accepts and says nothing makes calls unavailable, not endless', async () => {
    const silent = await listen(() => undefined);
    let refused = 0;
    const refusing = await listen((socket) => {
      refused++;
      socket.destroy();
    });
    const channel = channelTo([silent, refusing]);
    const client = createGrpcClient(EchoService, channel);
    for (let call = 0; call < 2; call++) {
      const error = await failure(client.echo({}, { timeoutMs: PATIENT_MS }));
      expect([error.kind, String(error.cause)]).toEqual([
        'unavailable',
        expect.stringContaining('nobody has answered'),
      ]);
    }
    // Nor do calls wait again whenever another replica fails once more.
    const before = refused;
    await waitFor(() => expect(refused).toBeGreaterThan(before + 1));
    expect(channel.unary.state).toBe('gave_up');
  });

  test('a replica that is killed is left at once; the others take all calls', async () => {
    const [killed, ...others] = await Promise.all([replica(), replica(), replica()]);
    if (killed === undefined) throw new Error('no replica');
    const client = clientOf([killed, ...others].map(({ address }) => address));
    await answeredBy(
      client,
      [killed, ...others].map(({ pid }) => pid),
    );
    killed.signal('SIGKILL');
    await killed.ended;
    const pids = others.map(({ pid }) => pid);
    await answeredBy(client, pids);
    expect([...(await answers(client, 100)).keys()].sort()).toEqual(pids.sort());
    const back = await replica(killed.address);
    await answeredBy(client, [...pids, back.pid]);
  });

  test('a replica that freezes loses its calls and gets no more until it goes on; none is made twice', async () => {
    const [frozen, other] = await Promise.all([replica(), replica()]);
    const client = clientOf([frozen.address, other.address]);
    await answeredBy(client, [frozen.pid, other.pid]);
    frozen.signal('SIGSTOP');
    const texts = Array.from({ length: 8 }, (_, index) => `call ${index}`);
    const calls = texts.map((text) => client.echo({ text }, { timeoutMs: PATIENT_MS }));
    const outcomes = await Promise.allSettled(calls);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.kind] : []));
    expect(failures).toEqual(Array.from({ length: 4 }, () => 'unavailable'));
    expect([...(await answers(client, 20)).keys()]).toEqual([other.pid]);

    frozen.signal('SIGCONT');
    await answeredBy(client, [frozen.pid, other.pid]);
    const asked = await Promise.all(
      [frozen, other].map(async ({ address }) =>
        (await readAll(clientOf(address).count({}))).map(({ payload }) => Buffer.from(payload).toString()),
      ),
    );
    for (const text of texts) {
      expect(asked.flat().filter((seen) => seen === text).length, text).toBeLessThanOrEqual(1);
    }
  });

  test('a replica that freezes while nobody calls is found out, and its next call fails without waiting', async () => {
    const frozen = await replica();
    const channel = channelTo(frozen.address);
    const client = createGrpcClient(EchoService, channel);
    await channel.ready(PATIENT_MS);
    frozen.signal('SIGSTOP');
    await waitFor(() => expect(channel.isConnected()).toBe(false));
    expect((await failure(client.echo({}, { timeoutMs: PATIENT_MS }))).kind).toBe('unavailable');
    frozen.signal('SIGCONT');
    await waitFor(async () => expect((await client.echo({})).text).toContain(frozen.pid));
  });
});
