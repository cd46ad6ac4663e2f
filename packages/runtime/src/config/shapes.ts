import {
  checkEmail,
  durationPattern,
  formatDuration,
  parseDuration,
  suggest,
  visibleLine,
  webhookNamePattern,
} from '@stopgo/core';
import { answeredSecretCharactersMin } from '@stopgo/security';
import { z } from 'zod';
import { bounds } from './defaults.ts';
import { inYamlWords, isRequired, quote } from './problem.ts';

/*
 * The building blocks of the schema. Each says what is wrong in the words of the file: what was expected there,
 * what was found, and how to write it.
 */

/** A text may be a credential that was put in the wrong place: `isShown` says whether this one certainly is none. */
function expected(what: string, input: unknown, isShown = isShort): string {
  if (input === undefined) return isRequired;
  return `expected ${what}, found ${typeof input === 'string' && isShown(input) ? quote(input) : inYamlWords(input)}`;
}

/** Shorter than anything that is taken for a secret elsewhere. */
const isShort = (text: string): boolean => text.length < answeredSecretCharactersMin;

/** Any text, the empty one included. A number or a boolean is refused: what it looks like in YAML would be lost. */
export function text() {
  return z.string({
    error: ({ input }) => {
      if (input === undefined) return isRequired;
      const quotable = typeof input === 'number' || typeof input === 'boolean';
      return `expected text, found ${inYamlWords(input)}${quotable ? ` (put it in quotes: "${input}")` : ''}`;
    },
  });
}

/** Text that holds something. */
export function filledText() {
  return text()
    .refine((value) => value.trim() !== '', 'must not be empty')
    .meta({ pattern: '\\S' });
}

/** A name: one line, not empty, short enough to stand in a log line. */
export function nameText() {
  return text()
    .refine((value) => value !== '', isRequired)
    .refine((value) => !isHiding(value), 'must not hold control characters, or characters that nobody sees')
    .refine(
      (value) => value.length <= bounds.nameCharactersMax,
      `must not be longer than ${bounds.nameCharactersMax} characters`,
    )
    .meta({ minLength: 1, maxLength: bounds.nameCharactersMax });
}

/** Halves of surrogate pairs are told of wherever they stand (see `characterProblems`). */
function isHiding(name: string): boolean {
  const whole = name.replace(/\p{Cs}/gu, '?');
  return visibleLine(whole) !== whole;
}

/** Names of tools, or patterns of them: `*` for any characters, `?` for one. */
export function globs() {
  return list(
    filledText().refine(
      (value) => !isHiding(value),
      'must not hold control characters, or characters that nobody sees',
    ),
  );
}

const toolPrefixPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;

/** What stands before the names of a server's tools: nothing that a provider of models would not take in a name. */
export function toolPrefix() {
  return text()
    .refine(
      (value) => toolPrefixPattern.test(value),
      'expected 1 to 32 letters, digits, _ or -, beginning with a letter or _',
    )
    .meta({ pattern: toolPrefixPattern.source });
}

/** `true` or `false`. */
export function flag() {
  return z.boolean({ error: ({ input }) => expected('true or false', input) });
}

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number) {
  const what = `a whole number from ${min} to ${max}`;
  const isQuoted = (input: unknown): boolean => typeof input === 'string' && /^\d+$/.test(input);
  return z
    .number({ error: ({ input }) => `${expected(what, input)}${isQuoted(input) ? ' (write it without quotes)' : ''}` })
    .refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, {
      error: ({ input }) => expected(what, input),
    })
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** One of a few words. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  const what = words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
  return z.enum(words, {
    error: ({ input }) => {
      const meant = typeof input === 'string' ? suggest(input, words) : undefined;
      const found = expected(what, input, () => meant !== undefined);
      return `${found}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
    },
  });
}

/** How a duration is written; what it must be is said below. */
const written = z.unknown().meta({
  anyOf: [
    { type: 'string', pattern: durationPattern },
    { type: 'number', minimum: 0 },
  ],
});

/** A duration as `parseDuration` reads it; the schema's output is in milliseconds. */
export function duration(minMs: number, maxMs: number) {
  return written.transform((value, context): number => {
    const ms = typeof value === 'number' || typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms === undefined) {
      context.addIssue({
        code: 'custom',
        message: expected('a duration such as 120s, 500ms, 2m or a number of seconds', value),
      });
      return z.NEVER;
    }
    if (ms < minMs || ms > maxMs) {
      const range = `must be from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
      context.addIssue({ code: 'custom', message: `${range}, found ${formatDuration(ms)}` });
      return z.NEVER;
    }
    return ms;
  });
}

/** An http or https URL without credentials in it, since addresses are printed and logged. Not normalised. `example`: a good one. */
export function httpUrl(example: string) {
  const url = text().superRefine((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      context.addIssue({ code: 'custom', message: `expected an http or https URL, such as ${example}` });
    } else if (url.username !== '' || url.password !== '') {
      context.addIssue({ code: 'custom', message: 'must not hold a user name or a password: addresses are logged' });
    }
  });
  return url.meta({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:' });
}

/** A browser origin, exactly as a browser sends it: scheme, host and port, nothing behind. */
export function origin() {
  return text()
    .refine(
      (value) => URL.canParse(value) && new URL(value).origin === value,
      'expected an origin such as https://app.example.com, without a path or a slash at the end',
    )
    .meta({ pattern: '^[a-z][a-z0-9+.-]*://[^/]+$' });
}

/** A host name or address as it stands in a Host header, with or without a port, without scheme or path. */
export function hostName() {
  return text()
    .refine((value) => !value.includes('*'), 'there are no wildcards: list each name that is to be answered')
    .refine(
      (value) => value !== '' && URL.canParse(`http://${value}/`) && new URL(`http://${value}/`).host === value,
      'expected name or name:port, the name in lower case, without scheme or path (and without :80, the default port)',
    );
}

const variable = /^[A-Z_][A-Z0-9_]{0,127}$/;

export const isVariableName = (text: string): boolean => variable.test(text);

/** The name of an environment variable. What looks like the secret itself is not one, and is not repeated. */
export function variableName() {
  return text()
    .refine(
      isVariableName,
      'expected the name of an environment variable, in capital letters, digits and _ (never the secret itself)',
    )
    .meta({ pattern: variable.source });
}

/** The name of a webhook, which stands in the ids of what it is told. */
export function webhookName() {
  return text()
    .refine((value) => webhookNamePattern.test(value), 'expected 1 to 64 letters, digits, _ or -')
    .meta({ pattern: webhookNamePattern.source });
}

/** The e-mail address of a user. */
export function emailAddress() {
  return text().refine(isEmail, 'expected an e-mail address, such as ana@example.com');
}

function isEmail(value: string): boolean {
  try {
    checkEmail(value);
    return true;
  } catch {
    return false;
  }
}

/** The name of a stream of NATS, which is a word of its protocol. */
export function streamName() {
  return text()
    .refine(
      (value) => value.length <= bounds.streamNameCharactersMax && /^[A-Za-z0-9_-]+$/.test(value),
      `expected 1 to ${bounds.streamNameCharactersMax} letters, digits, - or _`,
    )
    .meta({ pattern: '^[A-Za-z0-9_-]+$', maxLength: bounds.streamNameCharactersMax });
}

/** A list of things of one kind. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, {
    error: ({ input }) => {
      if (input === undefined) return isRequired;
      const remedy =
        typeof input === 'object'
          ? 'begin each entry with "- "'
          : 'write it in brackets, [ and ], or begin each entry with "- "';
      return `expected a list, found ${inYamlWords(input)}; ${remedy}`;
    },
  });
}

/** A mapping from names to texts. */
export function textByName() {
  return z.record(z.string(), text(), {
    error: ({ input }) => {
      if (input === undefined) return isRequired;
      return `expected a mapping, found ${inYamlWords(input)}${Array.isArray(input) ? '; write NAME: value, without a dash' : ''}`;
    },
  });
}

/** A mapping with exactly these keys. What is said of any other key depends on the whole file: see `unknownKeyLines`. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code, input }) => {
      if (code === 'unrecognized_keys') return undefined;
      if (input === undefined) return isRequired;
      return `expected a mapping, found ${inYamlWords(input)}${Array.isArray(input) ? '; write its keys without a dash' : ''}`;
    },
  });
}
