// A platform that dies at a place on the way of a blob onto the record. Arguments: data directory, offline model, place or "none".
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOneProcess } from '@stopgo/cli';
import { facts, fromBinary, type store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';

const [dataDir = '', offlineModel = '', place = 'none'] = process.argv.slice(2);
const media = join(fileURLToPath(new URL('.', import.meta.url)), '../e2e/fixtures/media.mjs');

const die = (here: string): void => {
  if (here === place) process.kill(process.pid, 'SIGKILL');
};

const { config } = parseAgentConfig(
  `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(dataDir)}
prompt: You use tools.
mcp_servers:
  - name: media
    command: node
    args: [${JSON.stringify(media)}]
`,
  'blobs.yaml',
);
const platform = await startOneProcess({
  config,
  env: { ...process.env },
  logger: createLogger({ level: 'error', format: 'text', destination: process.stderr }),
  offlineModel,
  version: 'test',
  intercept: {
    store: (client): Client<typeof store.StoreService> => ({
      ...client,
      putBlob: async (...call) => {
        die('put.before');
        const answer = await client.putBlob(...call);
        die('put.after');
        return answer;
      },
      append: async (...call) => {
        const names = (call[0].events ?? []).some(
          ({ payload = new Uint8Array() }) => fromBinary(facts.PayloadSchema, payload).fact.case === 'toolCallFinished',
        );
        if (names) die('append.before');
        const answer = await client.append(...call);
        if (names) die('append.after');
        return answer;
      },
      getBlob: (...call) => {
        die('get.before');
        return client.getBlob(...call);
      },
    }),
  },
});
process.stdout.write(`${platform.address}\n`);
process.once('SIGTERM', () => void platform.stop().then(() => process.exit(0)));
