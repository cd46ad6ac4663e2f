import { ExactNumber, type ExactValue, exactText } from '@stopgo/client';
import type { Field, Value } from './fields.ts';

/** What somebody has given for each field, by its name. */
export type Values = Readonly<Record<string, Value>>;

/** JSON text of what is given, digit by digit; or what is wrong with it, in words, by the name of the field. */
export type Read = { readonly content: string } | { readonly problems: ReadonlyMap<string, string> };

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a form. What is missing, or is no number, is said here; all else the platform looks at. */
export function readAnswer(fields: readonly Field[], values: Values): Read {
  const problems = new Map<string, string>();
  const content = new Map<string, ExactValue>();
  for (const field of fields) {
    const value = givenFor(field, values);
    const isGiven = value.length > 0;
    if (!isGiven && field.isRequired && !mayBeEmpty(field)) problems.set(field.name, missing[field.kind]);
    else if (field.kind === 'number' && isGiven && !number.test(String(value).trim()))
      problems.set(field.name, 'Write a number, such as 12 or 3.5.');
    else if (isGiven || field.isRequired) content.set(field.name, given(field, value));
  }
  return problems.size > 0 ? { problems } : { content: exactText(Object.fromEntries(content)) };
}

/** What stands in a field: what somebody wrote, or what it begins with. A name that every object has is no value. */
export const givenFor = ({ name, default: first }: Field, values: Values): Value =>
  Object.hasOwn(values, name) ? (values[name] ?? first) : first;

/** Several choices may be none of them; how many are wanted the platform says. */
const mayBeEmpty = ({ kind }: Field): boolean => kind === 'choices';

const missing: Readonly<Record<Field['kind'], string>> = {
  text: 'Fill this in.',
  number: 'Write a number.',
  boolean: 'Choose yes or no.',
  choice: 'Choose one.',
  choices: 'Choose.',
};

function given({ kind, format }: Field, value: Value): ExactValue {
  if (typeof value !== 'string') return value;
  if (kind === 'number') return new ExactNumber(value.trim());
  if (kind === 'boolean') return value === 'true';
  return kind === 'text' && format === 'date-time' ? withZone(value) : value;
}

/** A local time as one that everybody reads alike: with its distance from UTC. */
export function withZone(local: string): string {
  const at = new Date(local);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(local) || Number.isNaN(at.getTime())) return local;
  const minutes = -at.getTimezoneOffset();
  const two = (part: number) => String(Math.floor(Math.abs(part))).padStart(2, '0');
  const seconds = local.length === 16 ? ':00' : '';
  return `${local}${seconds}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** The other way round, for what a field begins with; empty for what is no time. */
export function localTime(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return '';
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** What the platform says is wrong, at the field that it is about; undefined if it is about none. */
export function problemAt(
  fields: readonly Field[],
  error: string,
): { readonly name: string; readonly words: string } | undefined {
  for (const { name } of fields) {
    if (error === `content.${name} is required`) return { name, words: 'Fill this in.' };
    const begins = `content.${name}: expected `;
    if (error.startsWith(begins)) return { name, words: `This is to be ${error.slice(begins.length)}.` };
  }
  return undefined;
}
