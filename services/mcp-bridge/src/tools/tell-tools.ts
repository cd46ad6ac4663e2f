import { type HintOrigins, isHeld, saysNothing, visibleLine, visibleText } from '@stopgo/core';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import type { Catalogue, CatalogueTool } from './catalogue.ts';

type Named = Pick<CatalogueTool, 'server' | 'name' | 'pin'>;

/** Names in one line. */
const shownMax = 10;

/** Writes down which tools are held that were not held before, as they are: one line for each server, if that is admitted. */
export function tellHeld(before: Catalogue, now: Catalogue, admits: (server: string) => boolean, log: Logger): void {
  const known = new Set(heldIn(before).map(keyOf));
  for (const [server, names] of grouped(heldIn(now), known)) {
    if (!admits(server)) continue;
    const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
    const shown = names.slice(0, shownMax).map((name) => `"${visibleLine(name.slice(0, 80))}"`);
    const list = `${shown.join(', ')}${more}`;
    log.warn(`MCP server "${server}" has tools that are held until somebody accepts them (\`stopgo tools\`): ${list}`);
  }
}

function heldIn({ held, instructions }: Catalogue): readonly Named[] {
  return [...held, ...instructions.filter(({ pinState }) => isHeld(pinState))];
}

function grouped(held: readonly Named[], known: ReadonlySet<string>): ReadonlyMap<string, string[]> {
  const byServer = new Map<string, string[]>();
  for (const tool of held)
    if (!known.has(keyOf(tool))) byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), tool.name]);
  return byServer;
}

function keyOf({ server, name, pin }: Named): string {
  return JSON.stringify([server, name, pin]);
}

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
