import { rmSync } from 'node:fs';
import { store } from '@stopgo/proto';
import { bind, connectGrpc, createGrpcClient, createInProcessClient, startGrpcServer } from '@stopgo/rpc';
import { startStore } from '../src/index.ts';
import { peopleContract } from './people.contract.ts';
import { pushContract } from './push.contract.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { storeContract } from './store.contract.ts';
import { blobContract } from './store-blobs.contract.ts';

async function open() {
  const dataDir = freshDirectory();
  const running = await startStore({ dataDir, log: silent });
  const close = async () => {
    await running.stop();
    rmSync(dataDir, { recursive: true });
  };
  return { service: running.service, close };
}

const inProcess = async () => {
  const { service, close } = await open();
  return { client: createInProcessClient(store.StoreService, service), close };
};

storeContract('sqlite, in process', inProcess);
peopleContract('sqlite', inProcess);
pushContract('sqlite', inProcess);
blobContract('sqlite', inProcess);

storeContract('sqlite, over gRPC', async () => {
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
