export {
  memoryAt,
  type NewMemory,
  noMemoryText,
  type SaveDecision,
  saveMemory,
  timeText,
} from './decide-memory.ts';
export { evolveMemories, type Memories, type Memory, type MemoryCall, noMemories } from './memory.ts';
