import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildSpec } from '../child.ts';
import { natsServerConfig, natsUser, passwordVariable } from './server-config.ts';

const folderMode = 0o700;
const fileMode = 0o600;

/** How a nats-server of our own is started, and how the store reaches it. */
export type OwnNats = {
  readonly spec: ChildSpec;
  readonly url: string;
  readonly monitorUrl: string;
  readonly password: string;
};

/** Prepares a nats-server with its log in `<dataDir>/nats`, on free ports of this machine that it keeps for as long as we run. */
export async function ownNats(program: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<OwnNats> {
  const folder = join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true, mode: folderMode });
  const [port, monitorPort] = await freePorts();
  const file = join(folder, 'nats-server.conf');
  writeFileSync(file, natsServerConfig({ folder: join(folder, 'jetstream'), port, monitorPort }), { mode: fileMode });
  chmodSync(file, fileMode);
  // The server reads the value as a part of its configuration: letters first, or it may be taken for a number.
  const password = `pw${randomBytes(24).toString('hex')}`;
  const guard = fileURLToPath(new URL(`./guard${extensionOf(import.meta.url)}`, import.meta.url));
  const address = `127.0.0.1:${port}`;
  const monitorUrl = `http://127.0.0.1:${monitorPort}`;
  return {
    spec: {
      name: 'nats',
      args: [guard, program, file, address, `${monitorUrl}/healthz`],
      env: () => ({ ...env, [passwordVariable]: password }),
    },
    url: `nats://${natsUser}:${password}@${address}`,
    monitorUrl,
    password,
  };
}

/** `.ts` where this runs from source, `.js` once built. */
const extensionOf = (url: string): string => (url.endsWith('.ts') ? '.ts' : '.js');

/** Two ports that were free a moment ago, open at the same time so that they differ. */
async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const port = (server: ReturnType<typeof createServer>): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address !== null) resolve(address.port);
      });
    });
  const ports = [await port(servers[0]), await port(servers[1])] as const;
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
