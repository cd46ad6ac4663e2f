import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Secret } from '@stopgo/rpc';
import type { ChildSpec } from '../child.ts';
import { freePorts } from '../free-ports.ts';

const folderMode = 0o700;

/** How a nats-server of our own is started, and how the store reaches it. */
export type OwnNats = {
  readonly spec: ChildSpec;
  readonly url: string;
  readonly monitorUrl: string;
  readonly password: string;
};

/**
 * The password of a nats-server of our own, made from the token from which those of the services are made. The server reads the value
 * as a part of its configuration: letters first, or it may be taken for a number.
 */
export const natsPassword = (root: Secret): string =>
  `pw${createHmac('sha256', root.reveal()).update('stopgo nats').digest('hex')}`;

/** Prepares a nats-server with its log in `<dataDir>/nats`, on free ports of this machine that it keeps for as long as we run. */
export async function ownNats(
  program: string,
  dataDir: string,
  password: string,
  env: NodeJS.ProcessEnv,
): Promise<OwnNats> {
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true, mode: folderMode });
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const file = join(folder, 'nats-server.conf');
  const guard = fileURLToPath(new URL(`./guard${extensionOf(import.meta.url)}`, import.meta.url));
  const address = `127.0.0.1:${port}`;
  const monitorUrl = `http://127.0.0.1:${monitorPort}`;
  return {
    spec: {
      name: 'nats',
      args: [guard, program, file, address, `${monitorUrl}/healthz`],
      env: () => env,
      secrets: {
        [natsConfigVariable]: natsServerConfig({ folder: join(folder, 'jetstream'), port, monitorPort, password }),
      },
    },
    url: `nats://${natsUser}:${password}@${address}`,
    monitorUrl,
    password,
  };
}

/** `.ts` where this runs from source, `.js` once built. */
const extensionOf = (url: string): string => (url.endsWith('.ts') ? '.ts' : '.js');

/** Name of the variable in which the server's configuration is handed to its guard, who keeps it in a file for a moment only. */
const natsConfigVariable = 'STOPGO_NATS_CONFIG';

/** The user that the store is known as. */
const natsUser = 'stopgo';

type NatsServerOptions = {
  /** Where the event log is kept. */
  readonly folder: string;
  /** On loopback, both. */
  readonly port: number;
  readonly monitorPort: number;
  readonly password: string;
};

/** Configuration of a nats-server of our own: on this machine only, and what it acknowledges is on the disk. */
function natsServerConfig({ folder, port, monitorPort, password }: NatsServerOptions): string {
  return `server_name: stopgo
listen: 127.0.0.1:${port}
# Shows the store that sync_interval is what it must be. It shows no password.
http: 127.0.0.1:${monitorPort}
authorization { user: ${natsUser}, password: ${password} }
# An append is one message of at most 512 KiB and its frame.
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(folder)}
  # On the disk before it is acknowledged.
  sync_interval: always
  # Heartbeats are all that lives in memory.
  max_memory_store: 64MB
}
`;
}
