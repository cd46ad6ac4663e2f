import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type Logger } from '@stopgo/runtime';
import { startStoreOnNats } from '@stopgo/store/nats';
import { Child } from '../chaos/child.ts';
import { findNatsServer, natsConfiguration, natsPassword, natsUser } from '../chaos/nats-server.ts';
import { freePorts } from '../free-ports.ts';

/** Where the log of one world is, and the folder of the views that are made of it. */
export type NatsLog = {
  readonly url: string;
  readonly monitorUrl: string;
  readonly stream: string;
  readonly dataDir: string;
};

/** A nats-server with the shipped configuration. It outlives every platform, and keeps the logs of many worlds. */
export class NatsServer {
  private readonly child: Child;
  private readonly folder: string;
  private readonly addresses: Pick<NatsLog, 'url' | 'monitorUrl'>;
  private logs = 0;

  private constructor(folder: string, child: Child, addresses: Pick<NatsLog, 'url' | 'monitorUrl'>) {
    this.folder = folder;
    this.child = child;
    this.addresses = addresses;
  }

  /** Starts it. Throws if there is no nats-server on this machine. */
  static async start(): Promise<NatsServer> {
    const command = findNatsServer();
    if (command === undefined)
      throw new Error('there is no nats-server: put one on the PATH or name it in STOPGO_NATS_SERVER');
    const folder = mkdtempSync(join(tmpdir(), 'stopgo-crash-nats-'));
    const [port = 0, monitorPort = 0] = await freePorts(2);
    const file = join(folder, 'nats.conf');
    writeFileSync(file, natsConfiguration({ port, monitorPort, storeDir: join(folder, 'nats') }));
    const child = new Child(
      {
        name: 'nats',
        command,
        args: ['--config', file],
        env: { NATS_SERVER_NAME: 'nats', NATS_USER: natsUser, NATS_PASSWORD: natsPassword },
        logFile: join(folder, 'nats.log'),
      },
      (what) => process.stderr.write(`${what}; its log is in ${folder}\n`),
    );
    child.start();
    return new NatsServer(folder, child, {
      url: `nats://${natsUser}:${natsPassword}@127.0.0.1:${port}`,
      monitorUrl: `http://127.0.0.1:${monitorPort}`,
    });
  }

  /** A log of its own, with nothing in it. */
  newLog(dataDir: string): NatsLog {
    this.logs += 1;
    return { ...this.addresses, stream: `crash-${this.logs}`, dataDir };
  }

  async stop(): Promise<void> {
    await this.child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const silent = createLogger({ level: 'error', format: 'text', destination: { write: () => undefined } });

/** A store on such a log, once its views show all of it. */
export function openNatsLog(log: NatsLog, logger: Logger = silent): ReturnType<typeof startStoreOnNats> {
  return startStoreOnNats({ ...log, replicas: 1, acceptUnverifiedDurability: false, log: logger });
}
