import { isDeceptive, type Json } from '@stopgo/core';

/** Join the characters beside them, in emoji and in some scripts. Between two that are seen they hide nothing. */
const joiners: ReadonlySet<number> = new Set([0x200c, 0x200d]);
const carriageReturn = 0x0d;

/**
 * The first character of a definition that a person does not see and a model reads, and where it is; undefined if there
 * is none. Every text counts, names of properties too. A name may not even hold what is harmless in a sentence.
 */
export function hiddenText(value: Json, at = ''): string | undefined {
  if (typeof value === 'string') {
    const code = at === '/name' ? firstDeceptive(value) : firstHidden(value);
    return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')} in ${at || '/'}`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value as { readonly [key: string]: Json })) {
    const hidden =
      hiddenText(key, `${at}/*`) ?? hiddenText(inner, `${at}/${firstHidden(key) === undefined ? key : '*'}`);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

function firstDeceptive(text: string): number | undefined {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isDeceptive(code)) return code;
  }
  return undefined;
}

function firstHidden(text: string): number | undefined {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const isSeen = (code: number | undefined) => code !== undefined && code > 0x20 && !isDeceptive(code);
  return codes.find((code, index) => {
    if (!isDeceptive(code) || code === carriageReturn) return false;
    return !(joiners.has(code) && isSeen(codes[index - 1]) && isSeen(codes[index + 1]));
  });
}
