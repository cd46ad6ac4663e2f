/** The connection layer by itself, without calls that are gated and recorded: for programs that try it out on servers. */
export { bridgeBounds } from '../bounds.ts';
export type { ServerAnswers } from '../questions/server-answers.ts';
export { EraCache } from '../session/era-cache.ts';
export type { DefinedTool } from '../tools/tool-definitions.ts';
export { ServerConnection } from './server-connection.ts';
