/** The HTTP surface of an A2A agent. */
import { cardRoutes } from './card-routes.ts';
import type { A2ARoute, HttpAgent } from './http-agent.ts';
import { jsonRpcRoutes } from './json-rpc-routes.ts';
import { restRoutes } from './rest-routes.ts';

export type { A2ARoute, Cursor, HttpAgent, HttpCaller } from './http-agent.ts';
export { lastRevisionSeen } from './request-headers.ts';
export { sayProblemAt } from './rest-routes.ts';
export { ServiceError } from './service-error.ts';

/** Cards, JSON-RPC and HTTP+JSON, in every version. */
export const a2aRoutes = <Frame>(agent: HttpAgent<Frame>): readonly A2ARoute<Frame>[] => [
  ...cardRoutes(agent),
  ...jsonRpcRoutes(agent),
  ...restRoutes(agent),
];
