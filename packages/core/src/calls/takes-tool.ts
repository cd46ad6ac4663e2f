import type { LlmNode, OfferedTool } from '../agent/definition.ts';
import { serverOf } from '../events/target.ts';
import { matchesGlob } from '../text/glob.ts';

/** Whether an llm node is offered a tool, as far as the agent's definition says: from one of its servers, and with a name that it names. */
export function takesTool(
  { toolServers, tools }: LlmNode,
  { target, name }: Pick<OfferedTool, 'target' | 'name'>,
): boolean {
  const server = serverOf(target);
  return (toolServers?.includes(server) ?? true) && (tools === undefined || namesTool(tools, server, name));
}

/** Whether patterns name a tool: one of them, and none that begins with `!`. */
export function namesTool(patterns: readonly string[], server: string, tool: string): boolean {
  const named = (pattern: string) => matchesTool(pattern, server, tool);
  if (patterns.some((pattern) => pattern.startsWith('!') && named(pattern.slice(1)))) return false;
  return patterns.some(named);
}

/** The name of a tool may have a slash of its own. */
function matchesTool(pattern: string, server: string, tool: string): boolean {
  if (matchesGlob(pattern, tool)) return true;
  const [ofServer = '', ...ofTool] = pattern.split('/');
  return matchesGlob(ofServer, server) && matchesGlob(ofTool.join('/'), tool);
}

/** Whether it is offered all tools of the run. */
export function takesAll({ toolServers, tools }: LlmNode): boolean {
  return toolServers === undefined && tools === undefined;
}
