import type { LlmNode, OfferedTool } from '../agent/definition.ts';
import { serverOf } from '../events/target.ts';
import { matchesAny } from '../text/glob.ts';

/** Whether an llm node is offered a tool, as far as the agent's definition says: from one of its servers, and with a name that it names. */
export function takesTool(
  { toolServers, tools }: LlmNode,
  { target, name }: Pick<OfferedTool, 'target' | 'name'>,
): boolean {
  return (toolServers?.includes(serverOf(target)) ?? true) && (tools === undefined || matchesAny(tools, name));
}

/** Whether it is offered all tools of the run. */
export function takesAll({ toolServers, tools }: LlmNode): boolean {
  return toolServers === undefined && tools === undefined;
}
