import { type ExactValue, exactJson, exactText } from '@stopgo/client';
import { visibleJson } from '@stopgo/core';

/**
 * JSON that can be shown, its numbers as they were read: characters that a terminal acts upon stand as `\\uXXXX`, which means the same in JSON.
 */
export function terminalJson(value: unknown, indent?: 2): string {
  if (value === undefined) return 'null';
  return visibleJson(indent === undefined ? exactJson(value as object) : exactText(value as ExactValue));
}
