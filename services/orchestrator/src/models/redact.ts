import { secretFilter, withoutCredentials } from '@stopgo/security';

/** The longest error text that leaves an adapter, in bytes of UTF-8. */
export const errorTextBytesMax = 1024;

/**
 * The longest text that is searched for credentials, in characters. The expressions take too long on a longer one, and cutting it
 * first could leave half of a key in the text.
 */
export const searchedCharactersMax = 1024 * 1024;

const hidden = '[redacted]';
const cutMark = '…';

/**
 * Makes a function that replaces these secrets, and what looks like a credential, in a text, and then cuts it to
 * `errorTextBytesMax`. A text longer than `searchedCharactersMax` is replaced by its length. A provider's error may quote the
 * request with its key, so every error text goes through this.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  // Even a short one is not shown: what is lost of an error text can be looked up at the provider.
  const filter = secretFilter(secrets, { charactersMin: 1, mark: hidden });
  return (text) => {
    if (text.length > searchedCharactersMax) return `an error of ${text.length} characters, too many to be repeated`;
    return cut(withoutCredentials(filter.hide(text), hidden));
  };
}

function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= errorTextBytesMax) return text;
  const kept = bytes.subarray(0, errorTextBytesMax - Buffer.byteLength(cutMark));
  // A code point that the cut went through decodes to a replacement character.
  return kept.toString('utf8').replace(/\uFFFD+$/, '') + cutMark;
}
