import { escapeUnprintable } from './printable.ts';

/** Stands wherever a secret stood. */
export const SECRET_MARK = '[secret]';

/** Shorter values are not searched for: replacing every `abc` would destroy the log and protect nothing. */
export const SECRET_CHARACTERS_MIN = 6;

/** Headers, and fields named like them, whose values never leave the process. Lower case, dashes and underscores alike. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
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

/** Values that look like credentials whoever they belong to: a bearer token, a key in a query, a secret header. */
const CREDENTIAL_SHAPES: readonly { readonly shape: RegExp; readonly instead: string }[] = [
  { shape: /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, instead: `$1 ${SECRET_MARK}` },
  { shape: /([?&](?:key|api_key|apikey|token|access_token)=)[^&\s"'\\]+/gi, instead: `$1${SECRET_MARK}` },
  { shape: /\b(x-api-key|x-goog-api-key)(["']?\s*[:=]\s*["']?)[^\s"',}\\]+/gi, instead: `$1$2${SECRET_MARK}` },
];

/** Knows the secrets of this process and takes them out of text. */
export type Redactor = {
  /**
   * Replaces the value from now on wherever it occurs: as it is, URL-encoded, base64 or escaped as in JSON. Values of
   * less than 6 characters are not searched for. Gives a function that forgets the value again (for tokens that live
   * as long as a request); a value registered twice must be forgotten twice.
   */
  registerSecret(value: string): () => void;
  /** The text without any registered secret and without anything shaped like a credential. */
  redact(text: string): string;
};

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const registered = new Map<string, { readonly spellings: readonly string[]; times: number }>();
  return {
    registerSecret(value) {
      if (value.length < SECRET_CHARACTERS_MIN) return () => {};
      const known = registered.get(value) ?? { spellings: spellingsOf(value), times: 0 };
      known.times += 1;
      registered.set(value, known);
      let forgotten = false;
      return () => {
        if (forgotten) return;
        forgotten = true;
        known.times -= 1;
        if (known.times === 0) registered.delete(value);
      };
    },
    redact(text) {
      let clean = text;
      for (const { spellings } of registered.values()) {
        for (const spelling of spellings) {
          if (clean.includes(spelling)) clean = clean.replaceAll(spelling, SECRET_MARK);
        }
      }
      for (const { shape, instead } of CREDENTIAL_SHAPES) clean = clean.replace(shape, instead);
      return clean;
    },
  };
}

/** True for a header or field whose value must not be shown, however its name is written. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ''));
}

/** The ways a secret may be spelled in a log line, longest first so that no part of one is left over. */
function spellingsOf(value: string): string[] {
  const encoded = encodeURIComponent(Buffer.from(value).toString());
  const spellings = [
    value,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    escapeUnprintable(value),
    Buffer.from(value).toString('base64'),
  ];
  return [...new Set(spellings)].sort((one, other) => other.length - one.length);
}
