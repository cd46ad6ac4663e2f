import { secretFilter } from '@stopgo/security';

/** Shorter tokens are not searched for: taking every `abc` out of a text would destroy it and protect nothing. */
const tokenCharactersMin = 6;

/**
 * Gives texts without these tokens, which a server may repeat in what it answers: see `secretFilter`. Only for text that is whole:
 * half of a token would be found by nobody. Made once for many texts: a result may have hundreds of thousands of names, and what
 * searches for a long token takes longer to make than to use.
 */
export function tokensHidden(...tokens: readonly (string | undefined)[]): (text: string) => string {
  return secretFilter(tokens, { charactersMin: tokenCharactersMin }).hide;
}

/** One text as {@link tokensHidden} gives it. */
export function withoutTokens(text: string, ...tokens: readonly (string | undefined)[]): string {
  return tokensHidden(...tokens)(text);
}

/** Whether the token can stand in a header: printable ASCII without blanks. Anything else would fail half-way. */
export function isHeaderToken(token: string): boolean {
  return /^[\x21-\x7e]+$/u.test(token);
}
