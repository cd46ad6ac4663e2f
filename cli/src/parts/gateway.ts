import { randomUUID } from 'node:crypto';
import { remoteAgentsOf } from '@stopgo/core';
import { type GatewayClients, type GatewayOptions, startGateway } from '@stopgo/gateway';
import type { Started } from '@stopgo/runtime';
import { agentDefinition } from './agent-definition.ts';
import type { PartOptions } from './part.ts';
import { checkSignIn, linkUserOf, signInOf } from './sign-in.ts';

/** What no configuration says of a gateway. */
export type GatewayMore = Pick<
  GatewayOptions,
  'a2aGrpcAsUrl' | 'a2aStreaming' | 'a2aPush' | 'interceptA2A' | 'bridges' | 'alarms'
>;

/** Starts the gateway of the configured agent on its host and port. */
export function startGatewayPart(
  options: PartOptions,
  clients: GatewayClients,
  more: GatewayMore = {},
): Promise<Started> {
  const { config, logger } = options;
  checkSignIn(options);
  const authenticate = signInOf(options, clients);
  const linkUser = linkUserOf(config, clients);
  return startGateway({
    ...more,
    ...(authenticate === undefined ? {} : { authenticate }),
    ...(linkUser === undefined ? {} : { linkUser }),
    host: config.host,
    port: config.port,
    clients,
    log: logger,
    syncWaitMs: config.syncWaitMs,
    allowedOrigins: config.allowedOrigins,
    allowedHosts: config.allowedHosts,
    limits: config.limits,
    agentName: config.name,
    remoteAgents: remoteAgentsOf(agentDefinition(config)),
    agentDescription: config.description,
    ...(config.a2aGrpcPort === undefined ? {} : { a2aGrpcPort: config.a2aGrpcPort }),
    ...(config.a2aExtendedCard === undefined ? {} : { a2aExtendedCard: config.a2aExtendedCard }),
    a2aRequiredExtensions: config.a2aRequiredExtensions,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    newId: randomUUID,
    newSessionId: () => randomUUID().slice(0, 8),
    onWarning: (text) => logger.warn(text),
  });
}
