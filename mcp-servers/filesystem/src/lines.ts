import type { FileHandle } from 'node:fs/promises';
import { chunkBytes, lineLengthMax } from './bounds.ts';

/** A line without its newline. `cut`: it was longer than {@link lineLengthMax}, and this is its beginning. */
export interface Line {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * The lines of a text file from its beginning, as they are read, some at a time. A newline at the end begins no line. What
 * is not UTF-8 comes as replacement characters.
 */
export async function* linesOf(file: FileHandle): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let open = '';
  let cut = false;
  const add = (text: string): void => {
    const room = lineLengthMax - open.length;
    open += text.slice(0, room);
    cut ||= text.length > room;
  };
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    position += bytesRead;
    const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: bytesRead > 0 });
    const pieces = text.split('\n');
    const lines: Line[] = [];
    for (const [index, piece] of pieces.entries()) {
      add(piece);
      if (index === pieces.length - 1) break;
      lines.push({ text: open, cut });
      open = '';
      cut = false;
    }
    if (bytesRead === 0) {
      if (open !== '') lines.push({ text: open, cut });
      if (lines.length > 0) yield lines;
      return;
    }
    if (lines.length > 0) yield lines;
  }
}
