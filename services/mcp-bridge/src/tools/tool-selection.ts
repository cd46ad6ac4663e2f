import { matchesAny, matchesGlob } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { shownName } from './tool-problem.ts';

/** What the configuration says of which tools of a server are used, under the server's own names. */
export type ToolSelection = Pick<McpServerConfig, 'tools'>;

/** Whether a tool is used: `deny` wins over `allow`, and without either all are. */
export function isSelected({ tools }: ToolSelection, name: string): boolean {
  if (tools === undefined) return true;
  return (tools.allow === undefined || matchesAny(tools.allow, name)) && !matchesAny(tools.deny, name);
}

/** What models and people know a tool of the server by. */
export function offeredName({ tools }: ToolSelection, name: string): string {
  return `${tools?.prefix ?? ''}${name}`;
}

/** The patterns that match none of the names that the server lists, each as a sentence: they may be slips of the pen. */
export function idlePatterns({ tools }: ToolSelection, listed: readonly string[]): readonly string[] {
  if (tools === undefined) return [];
  const idle = (key: string, patterns: readonly string[]) =>
    patterns
      .filter((pattern) => !listed.some((name) => matchesGlob(pattern, name)))
      .map((pattern) => `tools.${key} names ${shownName(pattern)}, which is no tool that it offers`);
  return [...idle('allow', tools.allow ?? []), ...idle('deny', tools.deny)];
}

/** How large and how complex one definition of this server may be. Where more bytes are allowed, so are more values. */
export function definitionBounds(
  { tools }: ToolSelection,
  bounds: BridgeBounds,
): Pick<BridgeBounds, 'definitionBytesMax' | 'definitionDepthMax' | 'definitionValuesMax'> {
  const { definitionBytesMax, definitionDepthMax, definitionValuesMax } = bounds;
  const own = tools?.definitionBytesMax ?? definitionBytesMax;
  const times = Math.max(1, own / definitionBytesMax);
  return {
    definitionBytesMax: own,
    definitionDepthMax,
    definitionValuesMax: Math.round(definitionValuesMax * times),
  };
}
