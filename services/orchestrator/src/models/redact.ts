import { secretFilter, withoutCredentials } from '@stopgo/security';

/** The longest error text that leaves an adapter, in bytes of UTF-8. */
export const ERROR_TEXT_BYTES_MAX = 1024;

/**
 * The longest text that is looked through, in characters: one of some million that look like a key is beyond what the expressions for
 * credentials can take, and what is cut before may hide half of one.
 */
export const SEARCHED_CHARACTERS_MAX = 1024 * 1024;

const HIDDEN = '[redacted]';
const CUT = '…';
/**
 * Makes a function that rids a text of these secrets and of what looks like a credential; then cuts it to `ERROR_TEXT_BYTES_MAX`. Of a text that is too long to be
 * looked through it tells the length only. An error of a provider
 * may quote the request that it is about, so every one of them goes through this.
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
