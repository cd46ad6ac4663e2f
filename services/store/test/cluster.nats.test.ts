import { rmSync } from 'node:fs';
import { JetStreamApiError, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { startStoreOnNats } from '../src/index.ts';
import { beatOf } from './instance-board.contract.ts';
import { connectTo } from './jetstream-log.ts';
import { keepingLog } from './log-lines.ts';
import { closeAll, closing, defaults, server } from './nats-link.ts';
import { describeWithNats, freePort, type NatsServer } from './nats-server.ts';
import { freshDirectory } from './sqlite-log.ts';
import { Story } from './story.ts';
import { until } from './until.ts';

afterEach(closeAll);

/** Servers that keep one JetStream together, none of which writes through. */
async function cluster(): Promise<readonly NatsServer[]> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  return Promise.all(
    ports.map((port, index) => {
      const listen = `cluster { name: c, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
      return server({ jetstream: 'sync_interval: "2m"', more: `server_name: n${index}\n${listen}` });
    }),
  );
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
