import { firstHidden, isDeceptive, type Json } from '@stopgo/core';

const newline = 0x0a;
const tab = 0x09;
const carriageReturn = 0x0d;

/**
 * The first character of a definition that a person does not see and a model reads, and where it is; undefined if there
 * is none. Every text counts, names of properties too. A name may not even hold what is harmless in a sentence.
 */
export function hiddenText(value: Json, at = ''): string | undefined {
  if (typeof value === 'string') {
    const code = at === '/name' ? firstInName(value) : firstInText(value);
    return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')} in ${at || '/'}`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value as { readonly [key: string]: Json })) {
    const hidden =
      hiddenText(key, `${at}/*`) ?? hiddenText(inner, `${at}/${firstInText(key) === undefined ? key : '*'}`);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

/** A line break in a name forges lines wherever names are listed. */
function firstInName(name: string): number | undefined {
  return [...name]
    .map((character) => character.codePointAt(0) ?? 0)
    .find((code) => code === newline || code === tab || isDeceptive(code));
}

/** Returns of old line ends hide nothing: they are shown as what they are. */
function firstInText(text: string): number | undefined {
  return firstHidden(text.replaceAll(String.fromCodePoint(carriageReturn), ''));
}
