export type {
  ModelAnswer,
  ModelCall,
  ModelMessage,
  ModelOutcome,
  ModelPort,
  ModelRequest,
  ModelTool,
  ModelToolResult,
} from './port.ts';
export { createModels, MODEL_TIMEOUT_MS, type Models, type ModelsOptions, OFFLINE_MODEL_NAME } from './registry.ts';
export type { Clock } from './retry.ts';
