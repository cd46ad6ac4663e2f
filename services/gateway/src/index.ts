/** The HTTP edge: REST and event streams over the services. */
export { type Authenticate, authenticator, type LinkUser, linkUsers } from './auth/authenticate.ts';
export { keysOfFile, type TokenRules, tokenCheck } from './auth/tokens.ts';
export { type Authorize, allowAll, type Resource } from './authorize.ts';
export { stopGraceMs } from './bounds.ts';
export type { AlarmSource, BridgeReplica, GatewayClients, GatewayOptions, InterceptA2A } from './options.ts';
export { startGateway } from './server.ts';
