import { type SecretFilter, secretFilter, secretMark, withoutCredentials } from '@stopgo/security';
import { escapeUnprintable } from './printable.ts';

/** Shorter values are not searched for: replacing every `abc` would destroy the log and protect nothing. */
export const secretCharactersMin = 6;

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
  const registered = new Map<string, { readonly filter: SecretFilter; times: number }>();
  return {
    registerSecret(value) {
      if (value.length < secretCharactersMin) return () => {};
      const known = registered.get(value) ?? { filter: filterOf(value), times: 0 };
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
      for (const { filter } of registered.values()) clean = filter.hide(clean);
      return withoutCredentials(clean);
    },
  };
}

/** As it is spelled in texts of others, and as our own lines spell what cannot be printed. */
const filterOf = (value: string): SecretFilter =>
  secretFilter([value, escapeUnprintable(value)], { charactersMin: secretCharactersMin, mark: secretMark });
