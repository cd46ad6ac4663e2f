import { visibleJson } from '@stopgo/core';

/** JSON that can be shown: characters that a terminal acts upon stand as `\\uXXXX`, which means the same in JSON. */
export function terminalJson(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent) ?? 'null');
}
