import { completeExecution } from './complete-execution.ts';
import type { ControlTool } from './control-tool.ts';
import { exitLoop } from './exit-loop.ts';

/** The platform's own tools, by name. No tool of a server is offered under one of these names. */
export const controlTools: ReadonlyMap<string, ControlTool> = new Map(
  [exitLoop, completeExecution].map((tool) => [tool.name, tool]),
);

/** What a recorded call of one gives its model; `at`: when it was recorded, in milliseconds since 1970. */
export function controlResult(
  { tool, argumentsJson }: { readonly tool: string; readonly argumentsJson: string },
  at: number,
): string {
  return controlTools.get(tool)?.result(argumentsJson, at) ?? 'ok';
}
