import { isHeld, visibleLine } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
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
  return [...held, ...instructions.filter(({ pinStanding }) => isHeld(pinStanding))];
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
