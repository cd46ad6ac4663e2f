import { visibleJson } from '@stopgo/core';

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * The text with every character that could forge a log line, drive a terminal or hide something written as an escape (`\n`,
 * `\u001b`): always one harmless line. JSON text keeps its value.
 */
export function escapeUnprintable(text: string): string {
  return visibleJson(text.replace(/[\n\r\t]/g, (character) => shortEscapes[character] ?? ''));
}
