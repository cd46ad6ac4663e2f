import { secretFilter, withoutCredentials } from '@stopgo/security';

/** The longest error text that leaves an adapter, in bytes of UTF-8. */
export const ERROR_TEXT_BYTES_MAX = 1024;

/**
 * The longest text that is searched for credentials, in characters. The expressions take too long on a longer one, and cutting it
 * first could leave half of a key in the text.
 */
export const SEARCHED_CHARACTERS_MAX = 1024 * 1024;

const HIDDEN = '[redacted]';
const CUT = '…';

/**
 * Makes a function that replaces these secrets, and what looks like a credential, in a text, and then cuts it to
 * `ERROR_TEXT_BYTES_MAX`. A text longer than `SEARCHED_CHARACTERS_MAX` is replaced by its length. A provider's error may quote the
 * request with its key, so every error text goes through this.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  // Even a short one is not shown: what is lost of an error text can be looked up at the provider.
  const filter = secretFilter(secrets, { charactersMin: 1, mark: HIDDEN });
  return (text) => {
    if (text.length > SEARCHED_CHARACTERS_MAX) return `an error of ${text.length} characters, too many to be repeated`;
    return cut(withoutCredentials(filter.hide(text), HIDDEN));
  };
}

function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= ERROR_TEXT_BYTES_MAX) return text;
  const kept = bytes.subarray(0, ERROR_TEXT_BYTES_MAX - Buffer.byteLength(CUT));
  // A code point that the cut went through decodes to a replacement character.
  return kept.toString('utf8').replace(/\uFFFD+$/, '') + CUT;
}
