import { byteLength, type CutText, cutText, sha256Hex } from '@stopgo/core';

/** Longest JSON that is recognised as such, in characters: it has to be read whole for that. */
const jsonCharactersMax = 16 * 1024 * 1024;

/**
 * Keeps at most `bytesMax` bytes of a result. JSON stays JSON: what is too long becomes an object that says so and holds how
 * the whole begins, as a text. A program that reads it cannot take a part for the whole, nor fail on half an object.
 */
export function cutResult(text: string, bytesMax: number): CutText {
  const fullBytes = byteLength(text);
  if (fullBytes <= bytesMax || !isJsonDocument(text)) return cutText(text, bytesMax);
  const sha256 = sha256Hex(text);
  const wrapped = (characters: number) =>
    JSON.stringify({ truncated: true, full_bytes: fullBytes, sha256, beginning: wholeCharacters(text, characters) });
  // Quotes and control characters grow as they are quoted once more, so the room is found by halving.
  let fits = 0;
  for (let step = 2 ** Math.ceil(Math.log2(bytesMax)); step >= 1; step /= 2)
    if (byteLength(wrapped(fits + step)) <= bytesMax) fits += step;
  return { text: wrapped(fits), cut: { fullBytes, sha256 } };
}

function isJsonDocument(text: string): boolean {
  if (text.length > jsonCharactersMax || !/^\s*[[{]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a text, never half of a surrogate pair. */
function wholeCharacters(text: string, characters: number): string {
  const last = text.charCodeAt(characters - 1);
  const isHalf = characters < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? characters - 1 : characters);
}
