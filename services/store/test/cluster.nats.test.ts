import { rmSync } from 'node:fs';
import { JetStreamApiError, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../../tests/free-ports.ts';
import { startStoreOnNats } from '../src/start-on-nats.ts';
import { beatOf } from './instance-board.contract.ts';
import { connectTo } from './jetstream-log.ts';
import { keepingLog } from './log-lines.ts';
import { closeAll, closing, defaults, server } from './nats-link.ts';
import { describeWithNats, type NatsServer } from './nats-server.ts';
import { freshDirectory } from './sqlite-log.ts';
import { Story } from './story.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

afterEach(closeAll);

/** Servers that keep one JetStream together, none of which writes through. */
async function cluster(): Promise<readonly NatsServer[]> {
  const ports = [await freePort(), await freePort(), await freePort()];
  return Promise.all(ports.map((port, index) => clustered(index, port, ports)));
}

/** The same, and the wires of the last of them to the others. */
async function clusterOnWires() {
  const [one, other, far] = [await freePort(), await freePort(), await freePort()];
  const wires = [await TcpProxy.to(one), await TcpProxy.to(other)];
  for (const wire of wires) closing.push(() => wire.close());
  const servers = await Promise.all([
    clustered(0, one, [other]),
    clustered(1, other, [one]),
    clustered(
      2,
      far,
      wires.map((wire) => wire.port),
    ),
  ]);
  return { servers, wires };
}

/** One of them, which finds the others by these ports and is told of no further way to them. */
function clustered(index: number, port: number, others: readonly number[]): Promise<NatsServer> {
  const routes = others.map((other) => `"nats://127.0.0.1:${other}"`).join(', ');
  // Nobody is to come by another way than the configured one: the address that is told leads nowhere.
  const ways = `listen: "127.0.0.1:${port}", advertise: "127.0.0.1:1", routes: [${routes}]`;
  const more = `server_name: n${index}\ncluster { name: c, no_advertise: true, ${ways} }`;
  return server({ jetstream: 'sync_interval: "2m"', more });
}

const isRefusal = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

/** Room for a bucket that is given up, and for two elections of the new one's leader, each of up to 9 s. */
const electionsMs = 30_000;

/** A store on all of them. */
async function storeOn(servers: readonly NatsServer[]) {
  const dataDir = freshDirectory();
  closing.push(() => rmSync(dataDir, { recursive: true }));
  const { log, lines } = keepingLog();
  const url = servers.map((each) => each.url).join(',');
  const running = await startStoreOnNats({ ...defaults, url, replicas: 3, dataDir, log });
  closing.push(() => running.stop());
  const client = createInProcessClient(store.StoreService, running.service);
  const beats = (counter: number) =>
    client.heartbeat(beatOf('a', counter)).then(
      ({ instances }) => instances.length === 1,
      () => false,
    );
  return { client, lines, beats };
}

/** Asks one of the servers which one leads the log ('' if it knows of none), and for a change if another is wanted. */
async function leaderAsSeenBy(one: NatsServer) {
  const connection = await connectTo(one.url);
  closing.push(() => connection.close());
  const ask = (question: string, words = '') =>
    connection.request(`$JS.API.STREAM.${question}.${defaults.stream}`, words, { timeout: 2_000 });
  return async (wanted?: string): Promise<string | undefined> => {
    try {
      const { leader = '' } = (await ask('INFO')).json<{ cluster: { leader?: string } }>().cluster;
      if (wanted !== undefined && leader !== wanted)
        await ask('LEADER.STEPDOWN', JSON.stringify({ placement: { preferred: wanted } }));
      return leader;
    } catch {
      // While they elect one.
      return undefined;
    }
  };
}

describeWithNats('the store on a cluster of three', () => {
  test('needs no monitoring with three replicas, and goes on when a server dies', { timeout: 240_000 }, async () => {
    const servers = await cluster();
    const { client, lines, beats } = await storeOn(servers);
    const story = new Story();
    await client.append(story.created());
    expect(await beats(1)).toBe(true);
    for (const one of servers) {
      await one.kill();
      const append = [...story.turn()][0]!;
      const isTaken = () =>
        client.append(append).then(
          () => true,
          () => false,
        );
      await until('the append', isTaken, electionsMs);
      await until('the heartbeat', () => beats(2), electionsMs);
      await one.start();
    }
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
    expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([]);
  });

  test('is not told by a server that was cut off where the log ends', { timeout: 120_000 }, async () => {
    const { servers, wires } = await clusterOnWires();
    const [here, far] = [await storeOn(servers.slice(0, 2)), await storeOn(servers.slice(2))];
    const story = new Story();
    await here.client.append(story.created());
    const read = (one: typeof here) => one.client.readStream({ stream: story.stream, fromRevision: 1, limit: 100 });
    const leaderAtFar = await leaderAsSeenBy(servers[2]!);
    await until('the leadership of the one that is to be cut off', async () => (await leaderAtFar('n2')) === 'n2');
    await read(far);

    for (const wire of wires) wire.refuse(true);
    const [append] = [...story.turn()];
    const isTaken = () =>
      here.client.append(append!).then(
        () => true,
        () => false,
      );
    await until('the append', isTaken, electionsMs);
    // It goes on as the leader at first, and then answers as one that knows of none.
    const isLeaderless = async () => {
      await expect(read(far)).rejects.toMatchObject({ kind: 'unavailable' });
      return (await leaderAtFar()) === '';
    };
    await until('the end of its leadership', isLeaderless, electionsMs);
    await expect(read(far)).rejects.toMatchObject({ kind: 'unavailable' });

    for (const wire of wires) wire.refuse(false);
    const { headRevision } = await read(here);
    const isWhole = () =>
      read(far).then(
        (page) => page.headRevision === headRevision,
        () => false,
      );
    await until('the same log there', isWhole, electionsMs);
    expect(far.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('has heartbeats again though one of three servers stays away', { timeout: 90_000 }, async () => {
    const servers = await cluster();
    const { beats } = await storeOn(servers);
    expect(await beats(1)).toBe(true);
    const [one, other] = servers;
    for (const each of servers) await each.kill();
    // Servers that have never heard of the third since they began make nothing that it would have to keep a copy of.
    await Promise.all([one!.start(), other!.start()]);
    const connection = await connectTo(one!.url);
    closing.push(() => connection.close());
    const manager = await jetstreamManager(connection, { timeout: 2_000, checkAPI: false });
    const probe = { name: 'PROBE', subjects: ['probe'], storage: StorageType.Memory, num_replicas: 3 };
    await until('the refusal of three copies', () =>
      manager.streams.add(probe).then(
        // Made before they knew: it would only be found there the next time.
        () => manager.streams.delete(probe.name).then(() => false),
        (error: unknown) => isRefusal(error, 10005),
      ),
    );
    await until('their loss', () =>
      // Not there: an earlier try was answered late.
      manager.streams.delete(`KV_${defaults.stream}_INSTANCES`).catch((error: unknown) => isRefusal(error, 10059)),
    );
    await until('the heartbeat', () => beats(2), electionsMs);
  });
});
