/** Shorter tokens are not searched for: taking every `abc` out of a text would destroy it and protect nothing. */
const tokenCharactersMin = 6;

/** The text without the caller's token, which a server may repeat in what it answers. */
export function withoutToken(text: string, token: string | undefined): string {
  if (token === undefined || token.length < tokenCharactersMin) return text;
  return text.replaceAll(token, '[secret]');
}

/** Whether the token can stand in a header: printable ASCII without blanks. Anything else would fail half-way. */
export function isHeaderToken(token: string): boolean {
  return /^[\x21-\x7e]+$/u.test(token);
}
