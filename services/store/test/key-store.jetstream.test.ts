import { JetStreamKeyStore } from '../src/adapters/jetstream/key-store.ts';
import { parseNatsUrl } from '../src/adapters/nats/address.ts';
import { openLink } from '../src/adapters/nats/link.ts';
import { streamName } from './jetstream-log.ts';
import { keyStoreContract } from './key-store.contract.ts';
import { describeWithNats, startNats } from './nats-server.ts';
import { silent } from './sqlite-log.ts';

const never = new AbortController().signal;

describeWithNats('jetstream', () =>
  keyStoreContract('jetstream', async () => {
    const server = await startNats();
    const link = await openLink({ address: parseNatsUrl(server.url), log: silent, signal: never, name: 'keys' });
    const open = () => new JetStreamKeyStore({ link, stream: streamName, replicas: 1 });
    let keys = open();
    return {
      keys: () => keys,
      async reopen() {
        keys = open();
      },
      async close() {
        await link.close();
        await server.remove();
      },
    };
  }),
);
