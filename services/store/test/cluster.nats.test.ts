import { rmSync } from 'node:fs';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { startStoreOnNats } from '../src/index.ts';
import { beatOf } from './instance-board.contract.ts';
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

describeWithNats('the store on a cluster of three', () => {
  test('needs no monitoring with three replicas, and goes on when a server dies', { timeout: 90_000 }, async () => {
    const servers = await cluster();
    const dataDir = freshDirectory();
    closing.push(() => rmSync(dataDir, { recursive: true }));
    const { log, lines } = keepingLog();
    const url = servers.map((each) => each.url).join(',');
    const running = await startStoreOnNats({ ...defaults, url, replicas: 3, dataDir, log });
    closing.push(() => running.stop());
    const client = createInProcessClient(store.StoreService, running.service);
    const story = new Story();
    await client.append(story.created());
    await client.heartbeat(beatOf('a', 1));
    for (const one of servers) {
      await one.kill();
      const append = [...story.turn()][0]!;
      await until('the append', () =>
        client.append(append).then(
          () => true,
          () => false,
        ),
      );
      await until('the heartbeat', () =>
        client.heartbeat(beatOf('a', 2)).then(
          ({ instances }) => instances.length === 1,
          () => false,
        ),
      );
      await one.start();
    }
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
    expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([]);
  });
});
