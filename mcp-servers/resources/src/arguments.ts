import { isAbsent, type Parsed, type RawArguments, refuseUnknown } from '@stopgo/tool-server';

/** Longest name, in UTF-16 code units. */
export const nameLengthMax = 256;
/** Longest id accepted for a removal, in UTF-16 code units; ids made here have 19. */
export const idLengthMax = 64;

export interface AddArguments {
  readonly name: string;
  readonly value: number;
}
export interface RemoveArguments {
  readonly id: string | undefined;
  readonly pattern: string | undefined;
}
export interface ListArguments {
  readonly pattern: string | undefined;
}

/** Control characters, line and paragraph separators, lone surrogates, and the marks that reorder text on a screen. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

export function parseAdd(raw: RawArguments): Parsed<AddArguments> {
  const unknown = refuseUnknown('resources_add', raw, ['name', 'value']);
  if (unknown !== undefined) return error(unknown);
  const { name } = raw;
  if (isAbsent(name)) return error('name is required');
  if (typeof name !== 'string') return error('name must be a string');
  if (name.trim() === '') return error('name is required');
  if (name.length > nameLengthMax) return error(`name must be at most ${nameLengthMax} characters`);
  if (unprintable.test(name)) return error('name must not contain control characters');
  const value = integerOf(raw.value);
  if (value === undefined) return error('value is required and must be an integer');
  if (!Number.isSafeInteger(value)) {
    return error(`value must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`);
  }
  return { kind: 'ok', value: { name, value } };
}

/** An empty id or pattern counts as absent: an empty pattern would match, and so remove, everything. */
export function parseRemove(raw: RawArguments): Parsed<RemoveArguments> {
  const unknown = refuseUnknown('resources_remove', raw, ['id', 'pattern']);
  if (unknown !== undefined) return error(unknown);
  const id = optionalText('id', raw.id);
  if (id.kind === 'error') return id;
  const pattern = optionalText('pattern', raw.pattern);
  if (pattern.kind === 'error') return pattern;
  if (id.value === undefined && pattern.value === undefined) return error('either id or pattern is required');
  if (id.value !== undefined && id.value.length > idLengthMax) {
    return error(`id must be at most ${idLengthMax} characters`);
  }
  return { kind: 'ok', value: { id: id.value, pattern: pattern.value } };
}

export function parseList(raw: RawArguments): Parsed<ListArguments> {
  const unknown = refuseUnknown('resources_list', raw, ['pattern']);
  if (unknown !== undefined) return error(unknown);
  const pattern = optionalText('pattern', raw.pattern);
  return pattern.kind === 'error' ? pattern : { kind: 'ok', value: { pattern: pattern.value } };
}

/** An integer given as a number or in decimal digits; undefined for anything else. It may be too large to be safe. */
function integerOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[+-]?\d+$/u.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  if (Number.isFinite(number) && !Number.isInteger(number)) return undefined;
  return number === 0 ? 0 : number; // JSON and SQLite know no negative zero
}

function optionalText(name: string, value: unknown): Parsed<string | undefined> {
  if (isAbsent(value) || value === '') return { kind: 'ok', value: undefined };
  return typeof value === 'string' ? { kind: 'ok', value } : error(`${name} must be a string`);
}

function error(message: string): { readonly kind: 'error'; readonly message: string } {
  return { kind: 'error', message };
}
