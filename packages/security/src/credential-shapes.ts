import { secretMark } from './secret-filter.ts';

// What is a credential by its form or by the name that it follows, whoever it belongs to.
/** Header and parameter names whose value is a credential: as text, as JSON and as JSON inside JSON. */
const named =
  /((?:x-api-key|x-goog-api-key|api[_-]?key|(?:proxy-)?authorization)\\*["']?\s*[:=]\s*\\*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;\\}]+/giu;
const parameter = /([?&](?:key|api_key|apikey|token|access_token)=)[^&\s"'\\]+/giu;
const keyParameter = /\b(key=)[^\s&"',;\\}]+/giu;
const token = /\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,}/giu;
const providerKey = /\b(?:AIza[\w-]{20,}|sk-ant-[\w-]{8,}|(?:sk-|gsk_)[\w*-]{16,}|sg[lo]_[\w-]{43})/gu;

/** What each of these has at least. Most names and short values have none of it, and are done with at a fraction of the cost. */
const mayHoldOne = /[=:\s]|AIza|sk-|gsk_|sg[lo]_/u;

/**
 * The text without what looks like a credential: bearer and basic tokens, keys of model providers and of this platform, the values of secret headers and
 * of the parameters of addresses. For texts of a bounded length: about a million characters at most.
 */
export function withoutCredentials(text: string, mark = secretMark): string {
  if (!mayHoldOne.test(text)) return text;
  return text
    .replace(named, (_, name: string) => name + mark)
    .replace(parameter, (_, name: string) => name + mark)
    .replace(keyParameter, (_, name: string) => name + mark)
    .replace(token, (_, scheme: string) => scheme + mark)
    .replace(providerKey, mark);
}

/** Headers, and fields named like them, whose values are secret. Lower case, without dashes and underscores. */
const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'xapikey',
  'xgoogapikey',
  'apikey',
  'cookie',
  'setcookie',
  'xstopgotoken',
  'token',
  'accesstoken',
  'refreshtoken',
  'bearertoken',
  'internaltoken',
  'password',
  'secret',
  'clientsecret',
]);

/** True for a header or field whose value must not be shown, however its name is written. */
export function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[-_]/gu, ''));
}
