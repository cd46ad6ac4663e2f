import type { AgentConfig } from './types.ts';

/** Keys that are accepted and have no effect yet. */
export function unbuiltWarnings(config: AgentConfig): string[] {
  return config.a2aGrpcPort === undefined ? [] : ['a2a_grpc_port: has no effect in this version'];
}
