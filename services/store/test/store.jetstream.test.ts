import { rmSync } from 'node:fs';
import { store } from '@stopgo/proto';
import { bind, connectGrpc, createGrpcClient, createInProcessClient, startGrpcServer } from '@stopgo/rpc';
import { startStoreOnNats } from '../src/start-on-nats.ts';
import { describeWithNats, startNats } from './nats-server.ts';
import { peopleContract } from './people.contract.ts';
import { pushContract } from './push.contract.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { storeContract } from './store.contract.ts';
import { blobContract } from './store-blobs.contract.ts';

async function open() {
  const server = await startNats();
  const dataDir = freshDirectory();
  const { url, monitorUrl } = server;
  const running = await startStoreOnNats({
    ...{ url, monitorUrl, dataDir, log: silent },
    ...{ stream: 'STOPGO', replicas: 1, acceptUnverifiedDurability: false },
  });
  const close = async () => {
    await running.stop();
    rmSync(dataDir, { recursive: true });
    await server.remove();
  };
  return { service: running.service, close };
}

describeWithNats('jetstream', () => {
  const inProcess = async () => {
    const { service, close } = await open();
    return { client: createInProcessClient(store.StoreService, service), close };
  };

  storeContract('jetstream, in process', inProcess);
  peopleContract('jetstream', inProcess);
  pushContract('jetstream', inProcess);
  blobContract('jetstream', inProcess);

  storeContract('jetstream, over gRPC', async () => {
    const { service, close } = await open();
    const server = await startGrpcServer({ address: '127.0.0.1:0', services: [bind(store.StoreService, service)] });
    const channel = connectGrpc(server.address);
    return {
      client: createGrpcClient(store.StoreService, channel),
      async close() {
        channel.close();
        await server.stop(0);
        await close();
      },
    };
  });
});
