import { objectBytes } from '../bounds.ts';

/** About how many bytes a value takes in memory: a message, an artifact, or a part of one. */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return objectBytes + value.byteLength;
  return Object.values(value).reduce<number>((sum, one) => sum + heldBytes(one), objectBytes);
}
