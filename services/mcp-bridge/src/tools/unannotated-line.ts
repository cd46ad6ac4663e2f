import { type HintOrigins, saysNothing, visibleText } from '@stopgo/core';
import type { Logger, McpServerConfig } from '@stopgo/runtime';

/** Names that one line lists. */
const namedMax = 20;

type Described = { readonly name: string; readonly hintOrigins: HintOrigins; readonly approvalRequired: boolean };

/** Writes down which tools of a server say nothing of what they do, if any. */
export function tellUnannotated(
  { config, tools }: { readonly config: McpServerConfig; readonly tools: readonly Described[] },
  log: Logger,
): void {
  const line = unannotatedLine(config.name, tools, config.unannotated);
  if (line !== undefined) log.info(line);
}

/** What is said of a server's tools that say nothing of what they do, and what follows from it; undefined if there are none. */
export function unannotatedLine(
  server: string,
  tools: readonly Described[],
  unannotated: 'run' | 'ask',
): string | undefined {
  const silent = tools.filter((tool) => saysNothing(tool.hintOrigins) && !tool.approvalRequired);
  if (silent.length === 0) return undefined;
  const one = silent.length === 1;
  const names = silent.slice(0, namedMax).map(({ name }) => visibleText(name));
  const more = silent.length > namedMax ? ` and ${silent.length - namedMax} more` : '';
  const what = `${silent.length} ${one ? 'tool' : 'tools'} of MCP server "${server}" ${one ? 'says' : 'say'} nothing about what ${one ? 'it does' : 'they do'}: ${names.join(', ')}${more}`;
  const follows =
    unannotated === 'run'
      ? `${one ? 'it runs' : 'they run'} without approval; set unannotated: ask on the server to be asked`
      : `${one ? 'it waits' : 'they wait'} for an approval, as unannotated: ask says`;
  return `${what}; ${follows}`;
}
