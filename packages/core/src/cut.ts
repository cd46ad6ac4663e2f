import { sha256Hex } from './digest.ts';

/** A text as it is kept, and what was cut off. */
export type CutText = {
  readonly text: string;
  /** Present if the text was longer than allowed. */
  readonly cut?: { readonly fullBytes: number; readonly sha256: string };
};

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false });

/** Length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/**
 * Keeps at most `bytesMax` bytes of UTF-8, the mark included, never half a character. A cut text ends in a mark with the
 * full size and digest, so that nobody takes it for the whole (and a cut JSON text does not parse).
 */
export function cutText(text: string, bytesMax: number): CutText {
  const fullBytes = byteLength(text);
  if (fullBytes <= bytesMax) return { text };
  const sha256 = sha256Hex(text);
  const mark = `\n[cut: ${fullBytes} bytes in full, sha256 ${sha256}]`;
  const room = Math.max(0, bytesMax - byteLength(mark));
  const kept = decoder.decode(encoder.encode(text).subarray(0, room));
  return { text: kept.replace(/\uFFFD+$/u, '') + mark, cut: { fullBytes, sha256 } };
}
