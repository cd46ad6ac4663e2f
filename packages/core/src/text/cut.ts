import { sha256Hex } from './digest.ts';

/** A text as it is kept, and what was cut off. */
export type CutText = {
  readonly text: string;
  /** Present if the text was longer than allowed. */
  readonly cut?: { readonly fullBytes: number; readonly sha256: string };
};

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The least number of bytes that a text can be cut to: its mark has to find room. */
export const cutBytesMin = 128;

/**
 * Keeps at most `bytesMax` bytes of UTF-8 (`cutBytesMin` or more), the mark included, never half a character. A cut text ends in a mark with the
 * full size and digest, so that nobody takes it for the whole (and a cut JSON text does not parse).
 */
export function cutText(text: string, bytesMax: number): CutText {
  const fullBytes = byteLength(text);
  if (fullBytes <= bytesMax) return { text };
  const sha256 = sha256Hex(text);
  const mark = `\n[cut: ${fullBytes} bytes in full, sha256 ${sha256}]`;
  return { text: shortened(text, Math.max(0, bytesMax - byteLength(mark))) + mark, cut: { fullBytes, sha256 } };
}

/**
 * Keeps at most `bytesMax` bytes of UTF-8 (four times `cutBytesMin` or more) of a text: its head and its tail, never half a
 * character, and between them on a line of its own a mark with the full size, how much is left out, and the digest of the whole. The
 * tail begins with `…`: it may begin anywhere, and must not look like the beginning of a line.
 */
export function cutMiddle(text: string, bytesMax: number): string {
  const fullBytes = byteLength(text);
  if (fullBytes <= bytesMax) return text;
  const sha256 = sha256Hex(text);
  const mark = (left: number): string =>
    `\n[cut: ${fullBytes} bytes in full, ${left} of them left out here, sha256 ${sha256}]\n…`;
  const room = bytesMax - byteLength(mark(fullBytes));
  const head = shortened(text, Math.ceil(room / 2));
  const tail = ending(text, Math.floor(room / 2));
  return head + mark(fullBytes - byteLength(head) - byteLength(tail)) + tail;
}

/** The end of a text, in at most `bytesMax` bytes of UTF-8, never half a character. */
function ending(text: string, bytesMax: number): string {
  const bytes = encoder.encode(text);
  let from = Math.max(0, bytes.length - bytesMax);
  while (from < bytes.length && isInsideCharacter(bytes[from])) from += 1;
  return decoder.decode(bytes.subarray(from));
}

/** The beginning of a text, in at most `bytesMax` bytes of UTF-8, never half a character. Nothing shows that it was cut. */
export function shortened(text: string, bytesMax: number): string {
  if (byteLength(text) <= bytesMax) return text;
  const bytes = encoder.encode(text);
  let room = bytesMax;
  while (room > 0 && isInsideCharacter(bytes[room])) room -= 1;
  return decoder.decode(bytes.subarray(0, room));
}

/** True for a byte that continues a character of UTF-8. */
function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
