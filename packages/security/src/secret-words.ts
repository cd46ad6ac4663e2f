import { isSecretName } from './credential-shapes.ts';

/** Words of which one is enough, wherever it stands in a name, in one or many. */
const secretWords: ReadonlySet<string> = new Set([
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'pwd', 'secret', 'credential', 'cred', 'cookie'],
  ...['authorization', 'bearer', 'jwt', 'otp', 'totp', 'cvv', 'cvc'],
]);
/** Words that say it if they are the last. */
const lastWords: ReadonlySet<string> = new Set(['pass', 'auth']);
/** Words before `key` that make it a secret; a key by itself is most often the name of something. */
const beforeKey: ReadonlySet<string> = new Set([
  ...['api', 'access', 'account', 'auth', 'private', 'secret', 'signing', 'encryption', 'decryption', 'master'],
  ...['shared', 'session', 'ssh', 'gpg', 'pgp', 'storage', 'subscription', 'hmac', 'license'],
]);
/** Beside these a token is something that is counted. */
const counting: ReadonlySet<string> = new Set([
  ...[
    'max',
    'min',
    'total',
    'num',
    'number',
    'count',
    'limit',
    'budget',
    'used',
    'usage',
    'per',
    'prompt',
    'completion',
  ],
  ...['input', 'output', 'context'],
]);
/** What words end with that are written together. */
const endings = /(?:password|passwd|passphrase|secret|apikey|accesskey|privatekey|secretkey|token|connectionstring)$/;

/**
 * True for an argument whose value must not be shown to others, by the words of its name: `db_password`, `api-token`, `clientSecret`,
 * `AWS_SECRET_ACCESS_KEY`. It rather hides too much: whoever may see the call sees all of it elsewhere.
 */
export function isSecretArgument(name: string): boolean {
  if (isSecretName(name)) return true;
  const words = wordsOf(name);
  const isOfSecret = (word: string, at: number): boolean => {
    const [before = '', after = ''] = [words[at - 1], words[at + 1]];
    if (word === 'token') return !counting.has(before) && !counting.has(after);
    if (word === 'key') return beforeKey.has(before);
    if (word === 'string') return before === 'connection';
    return secretWords.has(word) || (after === '' && lastWords.has(word)) || endings.test(word);
  };
  return words.some(isOfSecret);
}

/** The words of a name in lower case, each of them in the singular as far as it is known. */
function wordsOf(name: string): readonly string[] {
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.endsWith('ss') ? word : word.replace(/s$/, '')));
}
