import { join } from 'node:path';
import { formatPeers, type PeerName, peerNames, peerToken, type Secret } from '@stopgo/rpc';
import type { AgentConfig } from '@stopgo/runtime';
import { hasAccounts } from '../../parts/accounts.ts';
import { providerVariables } from '../../parts/providers.ts';
import { accountKeyOf } from '../../parts/push-key.ts';
import { registryVariables } from '../../parts/registry.ts';
import { signInVariables } from '../../parts/sign-in.ts';
import { webhookVariables } from '../../parts/webhooks.ts';
import { addressVariables, dependenciesOf, optionalOf } from '../environment.ts';
import type { ServiceName } from '../names.ts';
import type { ChildSpec } from './child.ts';
import { environmentFor, secretsFor } from './child-environment.ts';
import { launchedFor } from './leftovers.ts';

export type SpecOptions = {
  readonly config: AgentConfig;
  readonly configPath: string;
  /** The folder that the launcher has locked. */
  readonly dataDir: string;
  /** The program that is given `service NAME`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of each service is made from it. */
  readonly internalToken: Secret;
  /** With which orchestrators seal credentials for notifications. */
  readonly pushKey: Secret;
  readonly nats: { readonly url: string; readonly monitorUrl?: string };
  readonly offlineModel?: string;
  /** Where the replicas of a service are that has been started. */
  readonly addressesOf: (service: ServiceName) => readonly string[];
  /** Where the replicas of a service will be that is called by others which are started before it. */
  readonly reserved: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
};

/** How replica `number` (from 1) of a service is started. */
export function serviceSpec(service: ServiceName, number: number, options: SpecOptions): ChildSpec {
  const { configPath, dataDir, program, internalToken } = options;
  const name = `${service}-${number}`;
  const fixed = {
    ...environmentFor(service, options.env),
    ...ownVariables(service, name, options),
    STOPGO_INTERNAL_PEERS: formatPeers(peerNames.map((peer) => [peer, tokenOf(peer, internalToken)])),
    [launchedFor]: dataDir,
  };
  return {
    name,
    args: [program, 'service', service, '--config', configPath],
    secrets: {
      ...secretsFor(service, options.env),
      ...ownSecrets(service, options),
      STOPGO_INTERNAL_TOKEN: tokenOf(service, internalToken).reveal(),
    },
    env: (address) => ({
      ...fixed,
      ...addressesFor(service, options),
      ...listenVariable(service, number, address ?? options.reserved[service]?.[number - 1], options.config),
    }),
  };
}

/** Whoever has the one that the others are made from reads with it. */
const tokenOf = (peer: PeerName, root: Secret): Secret => (peer === 'operator' ? root : peerToken(root, peer));

function ownVariables(service: ServiceName, name: string, options: SpecOptions): Readonly<Record<string, string>> {
  const { dataDir, nats, offlineModel } = options;
  switch (service) {
    case 'store':
      return {
        STOPGO_DATA_DIR: join(dataDir, name),
        ...(nats.monitorUrl === undefined ? {} : { NATS_MONITOR_URL: nats.monitorUrl }),
      };
    case 'registry':
      return { STOPGO_DATA_DIR: join(dataDir, name) };
    case 'orchestrator':
      return offlineModel === undefined ? {} : { STOPGO_OFFLINE_MODEL: offlineModel };
    default:
      return {};
  }
}

function ownSecrets(service: ServiceName, options: SpecOptions): Readonly<Record<string, string>> {
  switch (service) {
    case 'store':
      return { NATS_URL: options.nats.url };
    case 'orchestrator':
      return {
        STOPGO_PUSH_KEY: options.pushKey.reveal(),
        ...onlySet(webhookVariables(options.config), options.env),
        ...onlySet(providerVariables(options.config), options.env),
      };
    case 'mcp-bridge':
      return {
        ...(hasAccounts(options.config.mcpServers)
          ? { STOPGO_ACCOUNT_KEY: accountKeyOf(options.pushKey).reveal() }
          : {}),
        ...onlySet(credentialVariables(options.config), options.env),
      };
    case 'registry':
      return {
        STOPGO_PUSH_KEY: options.pushKey.reveal(),
        ...onlySet(registryVariables(options.config), options.env),
      };
    case 'gateway':
      return onlySet(signInVariables(options.config), options.env);
    default:
      return {};
  }
}

/** The variables that the configuration names for tool servers; the bridge tells of those that are not set. */
const credentialVariables = ({ mcpServers }: AgentConfig): readonly (string | undefined)[] =>
  mcpServers.flatMap(({ transport }) =>
    transport.kind === 'http'
      ? [
          ...[transport.tokenVariable, transport.login?.idVariable, transport.login?.secretVariable],
          ...[transport.accounts?.idVariable, transport.accounts?.secretVariable],
        ]
      : [],
  );

/** Variables of the environment, as far as they are set. */
function onlySet(names: readonly (string | undefined)[], env: SpecOptions['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = name === undefined ? undefined : env[name];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Where the others are that a service calls. */
function addressesFor(service: ServiceName, { addressesOf, reserved }: SpecOptions): Readonly<Record<string, string>> {
  const there = dependenciesOf[service].map((one) => [addressVariables[one], addressesOf(one).join(',')]);
  const later = (optionalOf[service] ?? []).map((one) => [
    addressVariables[one],
    (reserved[one] ?? addressesOf(one)).join(','),
  ]);
  return Object.fromEntries([...there, ...later.filter(([, list]) => list !== '')]);
}

/** A port that was found at the first start is kept at the next, so that the others' lists of addresses stay true. */
function listenVariable(
  service: ServiceName,
  number: number,
  address: string | undefined,
  config: AgentConfig,
): Readonly<Record<string, string>> {
  if (service !== 'gateway') return { STOPGO_LISTEN: address ?? '127.0.0.1:0' };
  const httpPort = address === undefined ? (number === 1 ? String(config.port) : '0') : new URL(address).port;
  // One port of the machine is one gateway's; each card names its own.
  const isAnother = number > 1 && config.a2aGrpcPort !== undefined;
  return { STOPGO_HTTP_PORT: httpPort, ...(isAnother ? { STOPGO_A2A_GRPC_PORT: '0' } : {}) };
}
