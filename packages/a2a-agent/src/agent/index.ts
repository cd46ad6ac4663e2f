/** A whole A2A agent around one function. */

export { dataPart, textPart } from '../parts.ts';
export type { Message, Part, Task } from '../protocol.ts';
export { type Agent, type AgentOptions, startAgent } from './agent.ts';
export { type AgentBehaviour, AgentCore } from './agent-core.ts';
export {
  InputRequired,
  type NewArtifact,
  type Output,
  type Piece,
  type ProcessFunc,
  Rejected,
  type Turn,
} from './process.ts';
export { MemoryTaskStore, type TaskStore } from './task-store.ts';
