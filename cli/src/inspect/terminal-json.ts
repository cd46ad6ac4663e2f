import { isDeceptive } from '@stopgo/core';

/** JSON that can be shown: characters that a terminal acts upon stand as `\\uXXXX`, which means the same in JSON. */
export function terminalJson(value: unknown, indent?: number): string {
  let shown = '';
  for (const character of JSON.stringify(value, null, indent))
    shown += isDeceptive(character.codePointAt(0) ?? 0) ? escaped(character) : character;
  return shown;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
