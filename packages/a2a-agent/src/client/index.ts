/** A client for agents of any dialect, over HTTP. */
export type { DiscoveredCard } from './any-card.ts';
export { RemoteAgentError } from './envelope.ts';
export { type ReadEvent, readEvents } from './event-reader.ts';
export {
  type A2AClient,
  type ClientOptions,
  createHttpClient,
  type Saying,
  type TaskFilter,
  type TaskPage,
} from './http-client.ts';
