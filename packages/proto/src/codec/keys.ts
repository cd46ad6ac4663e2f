import { LeftToLibrary } from './writer.ts';

/** The key of a map as the boolean that it stands for. */
export function boolKey(key: string): boolean {
  if (key !== 'true' && key !== 'false') throw new LeftToLibrary();
  return key === 'true';
}

/** The key of a map as the number that it stands for. */
export function numberKey(key: string): number {
  const number = Number.parseInt(key, 10);
  if (String(number) !== key) throw new LeftToLibrary();
  return number;
}

/** The key of a map as the large number that it stands for. */
export const bigKey = (key: string): bigint => BigInt(key);
