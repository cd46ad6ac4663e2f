/** The HTTP surface of an A2A agent, and what the server under it is made of. */
import { cardRoutes } from './card-routes.ts';
import type { A2ARoute, HttpAgent } from './http-agent.ts';
import { jsonRpcRoutes } from './json-rpc-routes.ts';
import { restRoutes } from './rest-routes.ts';

export { browserRules } from './browser-rules.ts';
export { gracefulStop } from './graceful-stop.ts';
export type { A2ARoute, Cursor, HttpAgent, Peer } from './http-agent.ts';
export { httpUrl, listen } from './listen.ts';
export { isLoopback } from './loopback.ts';
export { OpenStreams, type StreamSlot } from './open-streams.ts';
export { type JsonObject, jsonBody, malformed, objectBody, readBody } from './request-body.ts';
export { lastRevisionSeen } from './request-headers.ts';
export { sayProblemAt } from './rest-routes.ts';
export { ServiceError } from './service-error.ts';
export { SseWriter } from './sse.ts';

/** Cards, JSON-RPC and HTTP+JSON, in every version. */
export const a2aRoutes = <Frame>(agent: HttpAgent<Frame>): readonly A2ARoute<Frame>[] => [
  ...cardRoutes(agent),
  ...jsonRpcRoutes(agent),
  ...restRoutes(agent),
];
