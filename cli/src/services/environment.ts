import { type KnownPeers, parseAddress, parseAddresses, parsePeers, Secret } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { parsePushKey } from '../parts/push-key.ts';
import { type ReadFile, readInternalToken, type Variable, variablesOf } from './internal-token.ts';
import type { ServiceName } from './names.ts';

/** A service that others call. */
export type Dependency = Exclude<ServiceName, 'gateway'>;

/** Environment variables that say where the other services are. */
export const addressVariables: Readonly<Record<Dependency, string>> = {
  store: 'STOPGO_STORE',
  'mcp-bridge': 'STOPGO_MCP_BRIDGE',
  orchestrator: 'STOPGO_ORCHESTRATOR',
  approvals: 'STOPGO_APPROVALS',
  registry: 'STOPGO_REGISTRY',
};

/** Which others a service calls. */
export const dependenciesOf: Readonly<Record<ServiceName, readonly Dependency[]>> = {
  store: [],
  'mcp-bridge': ['store'],
  // Bridges say themselves where they are, with their heartbeats.
  orchestrator: ['store'],
  approvals: ['store', 'orchestrator'],
  registry: ['store'],
  gateway: ['store', 'mcp-bridge', 'orchestrator', 'approvals'],
};

/** Which others a service calls only if the configuration has it do so. */
export const optionalOf: Readonly<Partial<Record<ServiceName, readonly Dependency[]>>> = {
  // For the links of webhooks, and where agents are taken from repositories.
  orchestrator: ['approvals', 'registry'],
  // Where agents are taken from repositories.
  gateway: ['registry'],
};

/** Where a service listens if nothing else is said: on this machine only, on a free port. */
const listenDefault = '127.0.0.1:0';

const portMax = 65_535;

/** What the environment of one service process says. */
export type ServiceEnvironment = {
  /** Where its gRPC server listens; the gateway has one only if it is told to. */
  readonly listen?: string;
  /** Where others call it, if that is not where it listens. */
  readonly advertise?: string;
  /** Where the services are that this one calls, each as {@link parseAddresses} reads it. */
  readonly addresses: Readonly<Partial<Record<Dependency, string>>>;
  readonly internalToken?: Secret;
  /** By which tokens others prove which service they are; without it all have one token. */
  readonly peers?: KnownPeers;
  readonly dataDir?: string;
  /** With which the orchestrator seals credentials for notifications, and the registry those of repositories. */
  readonly pushKey?: Secret;
  /** With which the bridge seals what is kept of accounts that users connect. */
  readonly accountKey?: Secret;
  /** Base URL of the offline model, for the orchestrator. */
  readonly offlineModel?: string;
  /** HTTP port of the gateway, instead of the configured one. */
  readonly httpPort?: number;
  /** Port on which the gateway speaks A2A over gRPC, instead of the configured one. */
  readonly a2aGrpcPort?: number;
  /** Where the event log is, for the store; without it the store keeps one itself. */
  readonly nats?: { readonly url: string; readonly monitorUrl?: string };
};

/**
 * Reads the environment of one service. A variable that is set to nothing counts as not set; variables that are for other
 * services are not looked at.
 *
 * @throws Error with one line per problem: the variable, what is wrong with it, what to do. No line holds a secret.
 */
export function readServiceEnvironment(
  service: ServiceName,
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): ServiceEnvironment {
  const { problems, checked, variable } = problemsOf(variablesOf(env));
  const listen = checked('STOPGO_LISTEN', parseAddress) ?? (service === 'gateway' ? undefined : listenDefault);
  const advertise = checked('STOPGO_ADVERTISE', checkAddress);
  const internalToken = problems.of(() => readInternalToken(variable, readFile));
  const peers = checked('STOPGO_INTERNAL_PEERS', parsePeers);
  if (peers !== undefined && internalToken === undefined)
    problems.add(
      `STOPGO_INTERNAL_PEERS: is set without a token of this service's own; set STOPGO_INTERNAL_TOKEN or STOPGO_INTERNAL_TOKEN_FILE`,
    );
  if (listen !== undefined && internalToken === undefined && isBeyondLoopback(listen))
    problems.add(
      `STOPGO_LISTEN: ${listen} is beyond loopback, where every caller must prove who it is; set STOPGO_INTERNAL_TOKEN or STOPGO_INTERNAL_TOKEN_FILE`,
    );
  const addresses: Partial<Record<Dependency, string>> = {};
  for (const dependency of dependenciesOf[service]) {
    const name = addressVariables[dependency];
    const value = checked(name, parseAddresses);
    if (value === undefined)
      problems.add(`${name}: is not set; the ${service} calls the ${dependency}: name its address as host:port`);
    else addresses[dependency] = value;
  }
  for (const dependency of optionalOf[service] ?? []) {
    const value = checked(addressVariables[dependency], parseAddresses);
    if (value !== undefined) addresses[dependency] = value;
  }
  const dataDir = variable('STOPGO_DATA_DIR');
  const offlineModel = service === 'orchestrator' ? checked('STOPGO_OFFLINE_MODEL', checkHttpUrl) : undefined;
  const isSealing = service === 'orchestrator' || service === 'registry';
  const pushKey = isSealing ? checked('STOPGO_PUSH_KEY', parsePushKey) : undefined;
  const accountKey = service === 'mcp-bridge' ? checked('STOPGO_ACCOUNT_KEY', parsePushKey) : undefined;
  const httpPort = service === 'gateway' ? checked('STOPGO_HTTP_PORT', checkPort) : undefined;
  const a2aGrpcPort = service === 'gateway' ? checked('STOPGO_A2A_GRPC_PORT', checkPort) : undefined;
  const natsUrl = service === 'store' ? checked('NATS_URL', checkNatsUrl) : undefined;
  const monitorUrl = service === 'store' ? checked('NATS_MONITOR_URL', checkHttpUrl) : undefined;
  problems.throwIfAny();
  return {
    ...(listen === undefined ? {} : { listen }),
    ...(advertise === undefined ? {} : { advertise }),
    addresses,
    ...(internalToken === undefined ? {} : { internalToken }),
    ...(peers === undefined ? {} : { peers: parsePeers(peers) }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(offlineModel === undefined ? {} : { offlineModel }),
    ...(pushKey === undefined ? {} : { pushKey: new Secret(pushKey) }),
    ...(accountKey === undefined ? {} : { accountKey: new Secret(accountKey) }),
    ...(httpPort === undefined ? {} : { httpPort: Number(httpPort) }),
    ...(a2aGrpcPort === undefined ? {} : { a2aGrpcPort: Number(a2aGrpcPort) }),
    ...(natsUrl === undefined ? {} : { nats: { url: natsUrl, ...(monitorUrl === undefined ? {} : { monitorUrl }) } }),
  };
}

/** Collects what is wrong, so that all of it is told at once. */
function problemsOf(variable: Variable) {
  const found: string[] = [];
  const problems = {
    add: (line: string) => void found.push(line),
    of: <T>(read: () => T): T | undefined => {
      try {
        return read();
      } catch (error) {
        found.push(messageOf(error));
        return undefined;
      }
    },
    throwIfAny: () => {
      if (found.length > 0) throw new Error(found.join('\n'));
    },
  };
  const checked = (name: string, check: (value: string) => unknown): string | undefined => {
    const value = variable(name);
    if (value === undefined) return undefined;
    try {
      check(value);
    } catch (error) {
      problems.add(`${name}: ${messageOf(error)}`);
    }
    return value;
  };
  return { problems, checked, variable };
}

/** @throws Error if it is no address of a NATS server. What is wrong is not repeated: it may hold a password. */
export function checkNatsUrl(list: string): void {
  for (const part of list.split(',')) {
    const written = part.trim();
    const url = written.includes('://') ? written : `nats://${written}`;
    if (!URL.canParse(url) || new URL(url).hostname === '')
      throw new Error('expected nats://host:port, several separated by commas; user:password@ may stand before a host');
  }
}

/** @throws Error if it is no HTTP address. It is not repeated: it may hold a password. */
export function checkHttpUrl(text: string): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new Error('expected an http:// address');
}

function checkAddress(text: string): void {
  if (parseAddress(text).port === 0) throw new Error(`address "${text}": nobody listens on port 0; name the real port`);
}

function checkPort(text: string): void {
  if (!/^\d{1,5}$/.test(text) || Number(text) > portMax)
    throw new Error(`expected a port from 0 to ${portMax}, found "${text}"`);
}

/** False for what is no address either, which is a problem of its own. */
function isBeyondLoopback(address: string): boolean {
  try {
    return !isLoopback(parseAddress(address).host);
  } catch {
    return false;
  }
}
