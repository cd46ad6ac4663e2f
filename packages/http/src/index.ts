/** What an HTTP server of ours does whatever it serves: whom it listens to, what bodies it reads, how it streams and stops. */
export { browserRules } from './browser-rules.ts';
export * from './node.ts';
export { OpenStreams, type StreamSlot } from './open-streams.ts';
export {
  exactObjectBody,
  type JsonObject,
  jsonBody,
  malformed,
  objectBody,
  readBody,
  refuseUnknownMembers,
  unknownMember,
} from './request-body.ts';
export { SseWriter } from './sse.ts';
