/** The longest error text that leaves an adapter, in bytes of UTF-8. */
export const ERROR_TEXT_BYTES_MAX = 1024;

/**
 * The longest text that is looked through, in characters: one of some million that look like a key is beyond what the expressions
 * below can take, and what is cut before may hide half of one.
 */
export const SEARCHED_CHARACTERS_MAX = 1024 * 1024;

const HIDDEN = '[redacted]';
const CUT = '…';
// Header and parameter names whose value is a credential, as text, as JSON and as JSON inside JSON.
const NAMED_CREDENTIAL =
  /((?:x-api-key|x-goog-api-key|api[_-]?key|(?:proxy-)?authorization)\\*["']?\s*[:=]\s*\\*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;\\}]+/gi;
const KEY_PARAMETER = /\b(key=)[^\s&"',;\\}]+/gi;
const BEARER_TOKEN = /\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}/gi;
const KEY_SHAPE = /\b(?:AIza[\w-]{20,}|sk-ant-[\w-]{8,}|(?:sk-|gsk_)[\w*-]{16,})/g;

/**
 * Makes a function that rids a text of these secrets (as they are and URL-encoded), of whatever follows the name of a
 * credential, and of what looks like a provider's key; then cuts it to `ERROR_TEXT_BYTES_MAX`. Of a text that is too long to be
 * looked through it tells the length only. An error of a provider
 * may quote the request that it is about, so every one of them goes through this (row A008).
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const exact = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((secret) => secret !== '')
    // The longest first: a secret may contain another.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    if (text.length > SEARCHED_CHARACTERS_MAX) return `an error of ${text.length} characters, too many to be repeated`;
    const named = exact
      .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
      .replace(NAMED_CREDENTIAL, `$1${HIDDEN}`)
      .replace(KEY_PARAMETER, `$1${HIDDEN}`)
      .replace(BEARER_TOKEN, `$1${HIDDEN}`)
      .replace(KEY_SHAPE, HIDDEN);
    return cut(named);
  };
}

function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= ERROR_TEXT_BYTES_MAX) return text;
  const kept = bytes.subarray(0, ERROR_TEXT_BYTES_MAX - Buffer.byteLength(CUT));
  // A code point that the cut went through decodes to a replacement character.
  return kept.toString('utf8').replace(/\uFFFD+$/, '') + CUT;
}
