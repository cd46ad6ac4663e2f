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
export { createModels, type Models, type ModelsOptions, modelTimeoutMs, offlineModelName } from './registry.ts';
export type { RetryTime } from './retry.ts';
