import { type Json, parseJson } from '@stopgo/core';
import { isSecretArgument, type SecretFilter, secretMark, withoutCredentials } from '@stopgo/security';
import { argumentsBytesShown, argumentTextCharactersMax } from '../bounds.ts';

/** Fewest characters of an argument that is secret by name, for which texts are searched. */
const hiddenCharactersMin = 4;

/** Most arguments that are secret by name: each is looked for in every text. With more of them no arguments are shown. */
const hiddenMax = 64;

/** Arguments of one version of a call, as a webhook is shown them. */
export type ShownArguments = { readonly shown: Json | undefined; readonly isCut: boolean };

/** Arguments of all versions of a call, and what keeps texts free of what was taken out. */
export type CleanArguments = {
  readonly versions: readonly ShownArguments[];
  /** Too much is secret by name for a text about the arguments to be searched. */
  readonly isHidden: boolean;
  /** A text without the secrets of this process, what looks like a credential, and the arguments that are secret by name. */
  readonly hide: (text: string) => string;
};

/** Takes secrets out of the arguments of a call, and cuts them. What is secret in one version of them is taken out of all. */
export function cleanArguments(versionsJson: readonly string[], secrets: SecretFilter): CleanArguments {
  const parsed = versionsJson.map((json) => (json === '' ? undefined : parseJson(json)));
  const found = new Set<string>();
  for (const one of parsed) if (one !== undefined) collect(one, found);
  const isHidden = found.size > hiddenMax;
  // The longest first: one may be a part of another.
  const named = [...found].sort((one, other) => other.length - one.length).slice(0, hiddenMax);
  const hide = (text: string): string =>
    withoutCredentials(named.reduce((left, one) => withoutIt(left, one), secrets.hide(text)));
  const version = (one: Json | undefined): ShownArguments =>
    isHidden ? { shown: {}, isCut: true } : shownArguments(one, hide);
  return { versions: parsed.map(version), isHidden, hide };
}

function shownArguments(given: Json | undefined, hide: (text: string) => string): ShownArguments {
  let isCut = false;
  const clean = (value: Json): Json => {
    if (typeof value === 'string') {
      const hidden = hide(value);
      if (hidden.length <= argumentTextCharactersMax) return hidden;
      isCut = true;
      return `${hidden.slice(0, argumentTextCharactersMax)} [cut]`;
    }
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    const isSecret = secretIn(value);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [hide(key), isSecret(key) ? secretMark : clean(inner)]),
    );
  };
  const cleaned = given === undefined ? undefined : clean(given);
  if (cleaned === undefined || Buffer.byteLength(JSON.stringify(cleaned)) <= argumentsBytesShown)
    return { shown: cleaned, isCut };
  return { shown: firstOf(cleaned), isCut: true };
}

/** A text without a secret, as it is and as JSON writes it. */
function withoutIt(text: string, secret: string): string {
  return text.replaceAll(secret, secretMark).replaceAll(JSON.stringify(secret).slice(1, -1), secretMark);
}

/**
 * Which members of a value are secret by their names. Of `{"name": "DB_PASSWORD", "value": "…"}`, as lists of variables have them, it is the
 * value.
 */
function secretIn(value: object): (key: string) => boolean {
  const entry = value as { readonly [key: string]: unknown };
  const isSecretEntry = ['name', 'key'].some((key) => typeof entry[key] === 'string' && isSecretArgument(entry[key]));
  return (key) => isSecretArgument(key) || (isSecretEntry && key.toLowerCase() === 'value');
}

/** What is secret by the name that it has, or that something around it has; what has few characters would be found everywhere. */
function collect(value: Json, found: Set<string>, isSecret = false): void {
  if (typeof value === 'object' && value !== null) {
    const isNamedSo = secretIn(value);
    for (const [key, inner] of Object.entries(value)) collect(inner, found, isSecret || isNamedSo(key));
    return;
  }
  const text = String(value);
  if (isSecret && text.length >= hiddenCharactersMin) found.add(text);
}

/** As many of the first arguments as may be shown. */
function firstOf(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  let left = argumentsBytesShown;
  return Object.fromEntries(
    Object.entries(value).filter((entry) => {
      const bytes = Buffer.byteLength(JSON.stringify(entry));
      if (bytes > left) return false;
      left -= bytes;
      return true;
    }),
  );
}
