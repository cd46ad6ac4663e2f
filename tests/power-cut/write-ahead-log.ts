import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;

/** What a write-ahead log of SQLite holds: whole transactions, and frames of one that is not whole. */
export type WrittenAhead = { readonly frames: number; readonly inWholeTransactions: number };

/** Reads the heads of the frames that SQLite has written since it last began the file anew. */
export function readWriteAheadLog(path: string): WrittenAhead {
  if (!existsSync(path)) return { frames: 0, inWholeTransactions: 0 };
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return { frames: 0, inWholeTransactions: 0 };
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
    const { size } = fstatSync(file);
    const frame = Buffer.alloc(frameHeaderBytes);
    let frames = 0;
    let inWholeTransactions = 0;
    for (let at = headerBytes; at + frameBytes <= size; at += frameBytes) {
      readSync(file, frame, 0, frameHeaderBytes, at);
      // The two numbers that change whenever the file is begun anew.
      if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
      frames += 1;
      // The size of the database after a transaction: in the last frame of each, and nowhere else.
      if (frame.readUInt32BE(4) !== 0) inWholeTransactions = frames;
    }
    return { frames, inWholeTransactions };
  } finally {
    closeSync(file);
  }
}
