import type { Given } from './codec.ts';

type Create<T> = (given: Given) => T;

const isObject = (value: unknown): value is Given =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** A message that is one already, or what is given for it made into one. */
export function toMessage<T>(value: Given, create: Create<T>, typeName: string): T {
  if (!isObject(value) || value.$typeName === typeName) return value as T;
  return create(value);
}

/** A list of messages. */
export const toMessages = <T>(values: Given[], create: Create<T>, typeName: string): T[] =>
  Array.isArray(values) ? values.map((one) => toMessage(one, create, typeName)) : values;

/** A map of messages. */
export const toMessageMap = <T>(values: Given, create: Create<T>, typeName: string): { [key: string]: T } =>
  toMap(values, (one) => toMessage(one as Given, create, typeName));

/** A list, each item made by a function. */
export const toList = <T>(values: unknown[], make: (value: unknown) => T): T[] =>
  Array.isArray(values) ? values.map((one) => make(one)) : values;

/** A map, each value made by a function. */
export function toMap<T>(values: Given, make: (value: unknown) => T): { [key: string]: T } {
  if (!isObject(values)) return values;
  const made: { [key: string]: T } = {};
  for (const [key, value] of Object.entries(values)) made[key] = make(value);
  return made;
}

/** Bytes, also from a list of numbers. */
export const toBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  Array.isArray(value) ? new Uint8Array(value) : (value as Uint8Array<ArrayBuffer>);
