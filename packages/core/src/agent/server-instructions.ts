import { serverOf } from '../events/target.ts';
import { quotedLines, quotedName } from '../text/visible.ts';
import type { Toolset } from './definition.ts';

/**
 * The instructions of a model: those of its node, and behind them what the servers of the tools that it is offered say of these, as
 * a quotation that nothing of ours looks like, hidden characters made visible. A function of its arguments alone: a prompt that is
 * made again from the record is the same.
 */
export function withServerInstructions(prompt: string, offered: Toolset): string {
  const said = new Map<string, string>();
  for (const { target, instructions } of offered.values()) {
    const server = serverOf(target);
    if (instructions !== undefined && !said.has(server)) said.set(server, instructions.text);
  }
  const quotes = [...said]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([server, text]) =>
        `What the tool server ${quotedName(server)} says of its tools, in its own words:\n${quotedLines(text)}`,
    );
  return [...(prompt === '' ? [] : [prompt]), ...quotes].join('\n\n');
}
