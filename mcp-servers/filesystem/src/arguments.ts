import { isAbsent, type RawArguments } from '@stopgo/tool-server';
import { Refusal } from './refusal.ts';

/** The smallest and the largest value of a number. One below is refused, one above is taken for the largest. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Text that must be there; an empty one counts as absent. */
export function text(given: RawArguments, name: string): string {
  const value = optionalText(given, name);
  if (value === undefined || value === '') throw new Refusal(`${name} is required`);
  return value;
}

export function optionalText(given: RawArguments, name: string): string | undefined {
  const value = given[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw new Refusal(`${name} must be a string`);
  return value;
}

/** An integer, or decimal digits, which models like to send instead. */
export function optionalInteger(given: RawArguments, name: string, { min, max }: Range): number | undefined {
  const value = given[name];
  if (isAbsent(value) || value === '') return undefined;
  const number = typeof value === 'string' && /^[+-]?\d+$/u.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new Refusal(`${name} must be an integer`);
  if (number < min) throw new Refusal(`${name} must be at least ${min}`);
  return Math.min(number, max);
}

export function optionalFlag(given: RawArguments, name: string): boolean {
  const value = given[name];
  if (isAbsent(value) || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new Refusal(`${name} must be true or false`);
}

/** One of the texts, or undefined when absent or empty; `otherwise` is what to say of any other. */
export function optionalChoice<T extends string>(
  given: RawArguments,
  name: string,
  choices: readonly T[],
  otherwise: (value: string) => string,
): T | undefined {
  const value = optionalText(given, name);
  if (value === undefined || value === '') return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw new Refusal(otherwise(value));
  return choice;
}
