/** Shorter tokens are not searched for: taking every `abc` out of a text would destroy it and protect nothing. */
const tokenCharactersMin = 6;

/**
 * The text without these tokens, which a server may repeat in what it answers: in large letters or small, as they are or as they
 * stand in JSON. Only for text that is whole: half of a token would be found by nobody.
 */
export function withoutTokens(text: string, ...tokens: readonly (string | undefined)[]): string {
  const spellings = tokens
    .filter((token) => token !== undefined && token.length >= tokenCharactersMin)
    .flatMap((token = '') => [token, JSON.stringify(token).slice(1, -1)])
    // The longest first: one may contain another, and is to be hidden whole.
    .sort((one, other) => other.length - one.length);
  if (spellings.length === 0) return text;
  const any = spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')).join('|');
  return text.replace(new RegExp(any, 'gi'), '[secret]');
}

/** Whether the token can stand in a header: printable ASCII without blanks. Anything else would fail half-way. */
export function isHeaderToken(token: string): boolean {
  return /^[\x21-\x7e]+$/u.test(token);
}
