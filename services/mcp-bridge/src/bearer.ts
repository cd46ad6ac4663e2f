/** Shorter tokens are not searched for: taking every `abc` out of a text would destroy it and protect nothing. */
const tokenCharactersMin = 6;

const hidden = '[secret]';

/** Longer tokens are searched for as they are only: a regular expression that long throws, with the token in its message. */
const expressionCharactersMax = 16 * 1024;

/**
 * Gives texts without these tokens, which a server may repeat in what it answers: in large letters or small, as they are or as
 * they stand in JSON, in an address or in the place of a value. Only for text that is whole: half of a token would be found by
 * nobody. Made once for many texts: a result may have hundreds of thousands of names, and what searches for a long token takes
 * longer to make than to use.
 */
export function tokensHidden(...tokens: readonly (string | undefined)[]): (text: string) => string {
  const searched = tokens
    .filter((token) => token !== undefined && token.length >= tokenCharactersMin)
    .flatMap((token = '') => spellingsOf(token));
  // The longest first: one may contain another, and is to be hidden whole.
  const spellings = [...new Set(searched)].sort((one, other) => other.length - one.length);
  const short = spellings.filter((spelling) => spelling.length <= expressionCharactersMax);
  const any = short.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')).join('|');
  const expression = short.length === 0 ? undefined : new RegExp(any, 'gi');
  const long = spellings.slice(0, spellings.length - short.length);
  return (text) => {
    const left = long.reduce((rest, spelling) => rest.replaceAll(spelling, hidden), text);
    return expression === undefined ? left : left.replace(expression, hidden);
  };
}

/** The last is how a validator names a property: RFC 6901, in the fragment of an address. */
function spellingsOf(token: string): readonly string[] {
  // An address cannot hold half a character.
  const whole = Buffer.from(token).toString();
  const name = encodeURI(whole.replaceAll('~', '~0').replaceAll('/', '~1'));
  return [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(whole), name];
}

/** One text as {@link tokensHidden} gives it. */
export function withoutTokens(text: string, ...tokens: readonly (string | undefined)[]): string {
  return tokensHidden(...tokens)(text);
}

/** Whether the token can stand in a header: printable ASCII without blanks. Anything else would fail half-way. */
export function isHeaderToken(token: string): boolean {
  return /^[\x21-\x7e]+$/u.test(token);
}
