import { callDigest, type OfferedTool, policyVerdict, serverOf } from '@stopgo/core';
import type { AttemptKey } from '@stopgo/orchestrator';

/** Something that a tool really did. */
export type ToolEffect = AttemptKey & {
  readonly at: number;
  readonly bridge: string;
  readonly tool: string;
  readonly argumentsJson: string;
  /** The tool as it was defined when it ran. */
  readonly definition: OfferedTool;
};

/** True if policy wants a human asked before this tool runs. */
export function isGated(tool: OfferedTool): boolean {
  return policyVerdict(tool).kind === 'ask';
}

/** The digest of a call of this tool as it is defined now. */
export function digestOf(tool: OfferedTool, argumentsJson: string): string {
  return callDigest({ server: serverOf(tool.target), tool: tool.name, pin: tool.pin, argumentsJson });
}
