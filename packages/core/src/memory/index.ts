export {
  holdsWords,
  memoryAt,
  type NewMemory,
  noMemoryText,
  removeMemory,
  requireMemory,
  type SaveDecision,
  saveMemory,
  setMemory,
  timeText,
  toldMemories,
} from './decide-memory.ts';
export { evolveMemories, type Memories, type Memory, type MemoryCall, memoriesAt, noMemories } from './memory.ts';
