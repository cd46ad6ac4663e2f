/** The connection layer by itself, without calls that are gated and recorded: for programs that try it out on servers. */
export { bridgeBounds } from './bounds.ts';
export type { ServerAnswers } from './connect.ts';
export { EraCache } from './era-cache.ts';
export { ServerConnection } from './server-connection.ts';
export type { DefinedTool } from './tool-definitions.ts';
