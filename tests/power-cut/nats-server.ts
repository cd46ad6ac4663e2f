import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program, root } from './program.ts';
import type { Undo } from './undo.ts';

/** When the server writes through to the disk. */
export type SyncInterval =
  /** As the configuration that we ship says: before each acknowledgement. */
  | 'shipped'
  /** What a server does that nobody tells: every two minutes. */
  | 'default';

export type NatsServer = {
  pids(): number[];
  /** For the environment of a store. */
  readonly env: Readonly<Record<'NATS_URL' | 'NATS_MONITOR_URL', string>>;
  kill(): Promise<void>;
};

/** Starts a server with the shipped configuration on free ports. It keeps its files in `storeDir`, the rest in `folder`. */
export async function startNatsServer(
  program: string,
  { folder, storeDir, sync }: { readonly folder: string; readonly storeDir: string; readonly sync: SyncInterval },
  undo: Undo,
): Promise<NatsServer> {
  const config = join(mkdtempSync(join(folder, 'nats-')), 'nats.conf');
  writeFileSync(config, configuration(storeDir, sync));
  const [user, password] = ['stopgo', 'power-cut'];
  const env = { NATS_SERVER_NAME: 'nats', NATS_USER: user, NATS_PASSWORD: password };
  const server = await Program.start([program, '--config', config], { env, ready: /Server is ready/ }, undo);
  const [client, monitor] = [
    server.captured(/Listening for client connections on (\S+)/),
    server.captured(/Starting http monitor on (\S+)/),
  ];
  return {
    pids: () => server.pids(),
    env: { NATS_URL: `nats://${user}:${password}@${client}`, NATS_MONITOR_URL: `http://${monitor}` },
    kill: () => server.kill(),
  };
}

function configuration(storeDir: string, sync: SyncInterval): string {
  const shipped = readFileSync(join(root, 'config/nats-server.conf'), 'utf8');
  const here = replaced(
    replaced(replaced(shipped, /^port: .*$/m, 'listen: "127.0.0.1:-1"'), /^http: .*$/m, 'http: "127.0.0.1:-1"'),
    /store_dir: .*$/m,
    `store_dir: ${JSON.stringify(storeDir)}`,
  );
  return sync === 'shipped' ? here : replaced(here, /^ *sync_interval: .*$/m, '');
}

function replaced(text: string, line: RegExp, by: string): string {
  if (!line.test(text)) throw new Error(`config/nats-server.conf has no line ${line}`);
  return text.replace(line, by);
}
