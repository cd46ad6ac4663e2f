/** What people are shown of a call of a tool: made from the exact arguments. */
import { type Json, parseJson } from '../text/json.ts';
import { quotedName, spoken } from '../text/visible.ts';

/** All of it. Control characters are made visible, and long texts cut, by whoever shows it. */
export function wholeToolCall(tool: string, argumentsJson: string): string {
  const parsed = parseJson(argumentsJson);
  return knownDescription(tool, parsed) ?? `**${heading(tool)}**\n\nArgs: ${indented(parsed, argumentsJson)}`;
}

/** Names of plain letters as they are known to clients; any other exactly, since two names may share their capitals. */
export function heading(tool: string): string {
  const name = quotedName(tool);
  return name === tool ? tool.toUpperCase() : name;
}

function knownDescription(tool: string, args: Json | undefined): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const fields = args as { readonly [key: string]: Json };
  const names = Object.keys(fields).sort().join();
  if (tool === 'resources_add' && names === 'name,value')
    return `**ADD Resource**\n\nName: ${shown(fields.name)}\nValue: ${shown(fields.value)}`;
  if (tool === 'resources_remove' && names === 'id') return `**REMOVE Resource**\n\nID: ${shown(fields.id)}`;
  if (tool === 'resources_remove' && names === 'pattern')
    return `**REMOVE Resources**\n\nPattern: ${shown(fields.pattern)}\n\n⚠️ This will remove ALL resources matching this pattern!`;
  return undefined;
}

/** A text is quoted where it could pretend to be the next line, or to be another one in quotes. */
function shown(value: Json | undefined): string {
  return typeof value === 'string' && !/[\n\t"\\]|^\s|\s$|^$/.test(value) ? value : JSON.stringify(value);
}

function indented(parsed: Json | undefined, text: string): string {
  return parsed === undefined ? spoken(text) : JSON.stringify(parsed, null, 2);
}
