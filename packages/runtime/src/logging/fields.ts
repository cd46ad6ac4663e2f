import { isSecretName, secretMark } from '@stopgo/security';

/** Deeper values are cut: a log line is no place for a whole object graph. */
const fieldDepthMax = 6;
/** Longer lists and mappings are cut. */
const fieldEntriesMax = 100;
/** Longer texts are cut, in characters. */
const fieldCharactersMax = 8_192;

/** What a log line says beside its message. Values that JSON cannot hold are written as text. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Plain data that is safe to write: no secret header, no cycle, bounded in depth, width and length. */
export function plainFields(fields: LogFields): Record<string, unknown> {
  return plainEntries(Object.entries(fields), 1);
}

/** The same plain data with every text and every name in it changed. */
export function mapTexts(plain: unknown, change: (text: string) => string): unknown {
  if (typeof plain === 'string') return change(plain);
  if (Array.isArray(plain)) return plain.map((entry) => mapTexts(entry, change));
  if (typeof plain !== 'object' || plain === null) return plain;
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [change(name), mapTexts(value, change)]));
}

/** The parts of an error worth logging; messages of its causes included, their stacks not. */
export function describeError(error: unknown): Record<string, unknown> {
  return plainError(error, 0);
}

function plainEntries(entries: readonly (readonly [string, unknown])[], depth: number): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of entries.slice(0, fieldEntriesMax)) {
    if (value !== undefined) plain[name] = isSecretName(name) ? secretMark : plainValue(value, depth);
  }
  return plain;
}

function plainValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > fieldCharactersMax ? `${value.slice(0, fieldCharactersMax)}… (cut)` : value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      return value === null ? null : plainObject(value, depth);
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return '[function]';
  }
}

function plainObject(value: object, depth: number): unknown {
  if (value instanceof Error) return plainError(value, depth);
  if (depth >= fieldDepthMax) return '[too deep]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, fieldEntriesMax).map((entry) => plainValue(entry, depth + 1));
  if (value instanceof Headers || value instanceof Map) {
    return plainEntries(
      [...value].map(([name, inner]) => [String(name), inner]),
      depth + 1,
    );
  }
  return plainEntries(Object.entries(value), depth + 1);
}

function plainError(error: unknown, depth: number): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: plainValue(String(error), depth) };
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: plainValue(error.message, depth),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(depth === 0 && error.stack !== undefined ? { stack: plainValue(error.stack, depth) } : {}),
    ...(error.cause === undefined || depth >= fieldDepthMax ? {} : { cause: plainError(error.cause, depth + 1) }),
  };
}
