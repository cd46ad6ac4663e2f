import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { health } from '@stopgo/proto';
import {
  type BoundService,
  bind,
  type Callers,
  connectGrpc,
  formatAddress,
  type GrpcChannel,
  type GrpcServer,
  type OnCall,
  parseAddress,
  parseAddresses,
  startGrpcServer,
} from '@stopgo/rpc';
import { type Alarms, type Logger, messageOf, type NamedStop, stopAll } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { alarmsPart } from '../parts/alarms.ts';
import { logInternalErrors, type PartOptions, unnamedOf } from '../parts/part.ts';
import { addressVariables, type Dependency, type ServiceEnvironment } from './environment.ts';
import type { ServiceName } from './names.ts';
import { reachStore } from './reach-store.ts';

/** What the composition root of a service is given. */
export type ServiceOptions = PartOptions & {
  readonly environment: ServiceEnvironment;
  readonly name: ServiceName;
  /** What this process has logged that somebody should look at. */
  readonly alarms: Alarms;
  /** Id of this process, never used twice. */
  readonly instance: string;
  /** Aborts when the process is to end, also while it starts. */
  readonly stopping: AbortSignal;
};

/** What a service process is put together from; what was opened is closed again, the last first. */
export class ServiceProcess {
  readonly options: ServiceOptions;
  readonly #parts: NamedStop[] = [];

  constructor(options: ServiceOptions) {
    this.options = options;
  }

  /** To be stopped with the process, before everything that was added earlier. */
  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
  }

  /** Opens a channel to all replicas of another service, without waiting for them. */
  connect(to: Dependency): GrpcChannel {
    const { addresses, internalToken } = this.options.environment;
    const address = addresses[to];
    if (address === undefined) throw new Error(`${addressVariables[to]} is not set`);
    const channel = connectGrpc(address, internalToken === undefined ? {} : { internalToken });
    this.add(`channel to ${to}`, async () => channel.close());
    return channel;
  }

  /** Waits for the store; see {@link reachStore}. */
  async reachStore(channel: GrpcChannel): Promise<void> {
    const { logger, stopping } = this.options;
    await reachStore(channel, { logger, signal: stopping });
  }

  /**
   * Listens for calls of other services, those that `callers` names; health checks are told NOT_SERVING until the service says
   * otherwise.
   */
  async listen(services: readonly BoundService[], callers: Callers): Promise<GrpcServer> {
    const { config, environment, logger, name, instance, alarms } = this.options;
    const { listen = '', internalToken, peers } = environment;
    return startGrpcServer({
      address: listen,
      services: [...services, bind(health.AlarmService, alarmsPart(name, instance, alarms))],
      callers,
      ...(internalToken === undefined ? {} : { internalToken }),
      ...(peers === undefined ? {} : { peers }),
      ...unnamedOf(config),
      onInternalError: logInternalErrors(logger),
      ...(config.logLevel === 'debug' ? { onCall: logCalls(logger) } : {}),
    });
  }

  /** Where others call what listens here. */
  async advertised(server: GrpcServer): Promise<string> {
    const { advertise, addresses } = this.options.environment;
    return advertise ?? (await reachable(server.address, addresses.store));
  }

  /** Closes what was opened. */
  stop(): Promise<void> {
    return stopAll(this.#parts.splice(0));
  }

  /** Closes what was opened by a start that failed. */
  async giveUp(): Promise<void> {
    await this.stop().catch((problem: unknown) => this.options.logger.warn(messageOf(problem)));
  }
}

/** Internal calls can be counted by these lines. */
const logCalls =
  (logger: Logger): OnCall =>
  ({ method, status, ms }) =>
    logger.debug(`grpc ${method} ${status} ${ms.toFixed(1)}`);

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * A wildcard is no address to call. The address of this machine stands for it from which the store is reached: on a machine of several
 * networks it is on the one that the services share. Else the first that others reach.
 */
async function reachable(address: string, store: string | undefined): Promise<string> {
  const { host, port } = parseAddress(address);
  if (!wildcards.has(host)) return address;
  const [first] = store === undefined ? [] : parseAddresses(store);
  const own = (first && (await ownAddressTowards(first.host, first.port))) ?? anyOwnAddress() ?? '127.0.0.1';
  return formatAddress({ host: own, port });
}

function anyOwnAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** The IPv4 address that this machine would send from; nothing is sent. Undefined if there is no way there. */
function ownAddressTowards(host: string, port: number): Promise<string | undefined> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    const done = (found?: string) => {
      socket.close();
      resolve(found);
    };
    socket.once('error', () => done());
    // A store on this machine says nothing of where the others are.
    socket.connect(port, host, () => {
      const { address } = socket.address();
      done(isLoopback(address) ? undefined : address);
    });
  });
}
