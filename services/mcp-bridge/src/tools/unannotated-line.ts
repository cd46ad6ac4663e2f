import { type HintOrigins, saysNothing, visibleText } from '@stopgo/core';

/** Names that one line lists. */
const namedMax = 20;

/** What is said of a server's tools that say nothing of what they do, and what follows from it; undefined if there are none. */
export function unannotatedLine(
  server: string,
  tools: readonly { readonly name: string; readonly hintOrigins: HintOrigins; readonly approvalRequired: boolean }[],
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
