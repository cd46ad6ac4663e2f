import type { FileHandle } from 'node:fs/promises';
import { optionalInteger } from '../arguments.ts';
import { binaryProbeBytes, partialReadMax } from '../bounds.ts';
import { type Call, find, subjectOf, type Tool } from '../call.ts';
import { linesOf } from '../lines.ts';
import { attempt, Refusal } from '../refusal.ts';

/** What part of a file is asked for. */
type Part =
  | { readonly by: 'bytes'; readonly offset: number; readonly limit: number | undefined }
  | { readonly by: 'lines'; readonly offset: number; readonly limit: number | undefined }
  | { readonly by: 'nothing' };

export const readFile: Tool = async (call) => {
  const subject = subjectOf(call, 'read_file');
  const part = partOf(call);
  const found = await find(call, subject);
  if (found.kind === 'folder') throw new Refusal(`path is a directory, not a file: ${subject.path}`);
  if (found.kind !== 'file') throw new Refusal(`file not found: ${subject.path}`);
  return attempt('cannot read', subject.path, async () => {
    const file = await call.folders.openFile(found.place.folder, found.place.name, subject.path);
    try {
      const { size } = await file.stat();
      const content = await readPart(call, file, size, part);
      return { size, ...content, ...((await isBinary(file)) ? { binary: true } : {}) };
    } finally {
      await file.close();
    }
  });
};

function partOf({ given }: Call): Part {
  const any = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const offsetBytes = optionalInteger(given, 'offset_bytes', any);
  const limitBytes = optionalInteger(given, 'limit_bytes', any);
  const offsetLines = optionalInteger(given, 'offset_lines', any);
  const limitLines = optionalInteger(given, 'limit_lines', any);
  const byBytes = offsetBytes !== undefined || limitBytes !== undefined;
  const byLines = offsetLines !== undefined || limitLines !== undefined;
  if (byBytes && byLines) throw new Refusal('byte-based and line-based parameters are mutually exclusive');
  if (byBytes) return { by: 'bytes', offset: offsetBytes ?? 0, limit: limitBytes };
  return byLines ? { by: 'lines', offset: offsetLines ?? 1, limit: limitLines } : { by: 'nothing' };
}

async function readPart(call: Call, file: FileHandle, size: number, part: Part): Promise<object> {
  const max = Math.max(partialReadMax, call.fullReadBytesMax);
  switch (part.by) {
    case 'nothing': {
      if (size > call.fullReadBytesMax) {
        const sizes = `size: ${shownSize(size)}, limit: ${shownSize(call.fullReadBytesMax)}`;
        throw new Refusal(`file too large for full read (${sizes}); use offset/limit parameters`);
      }
      return { content: (await bytesOf(file, 0, size)).toString('utf8'), truncated: false };
    }
    case 'bytes': {
      const wanted = part.limit ?? Math.max(size - part.offset, 0);
      const bytes = await bytesOf(file, part.offset, Math.min(wanted, max));
      return { content: bytes.toString('utf8'), truncated: bytes.length < wanted };
    }
    case 'lines':
      return readLines(call, file, part, max);
  }
}

async function readLines(
  { signal }: Call,
  file: FileHandle,
  { offset, limit }: { readonly offset: number; readonly limit: number | undefined },
  max: number,
): Promise<object> {
  const first = Math.max(offset, 1);
  const selected: string[] = [];
  let number = 0;
  let room = max;
  let truncated = false;
  for await (const lines of linesOf(file)) {
    signal.throwIfAborted();
    for (const { text, cut } of lines) {
      number += 1;
      if (number < first) continue;
      if (number - first >= (limit ?? Number.POSITIVE_INFINITY) || room <= 0) {
        truncated = true;
        continue;
      }
      truncated ||= cut || text.length > room;
      selected.push(text.slice(0, room));
      room -= text.length + 1;
    }
  }
  return { content: selected.join('\n'), truncated, lines_total: number };
}

async function bytesOf(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(Math.min(length, size - offset), 0));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** True when one of the first bytes is a NUL. */
export async function isBinary(file: FileHandle): Promise<boolean> {
  return (await bytesOf(file, 0, binaryProbeBytes)).includes(0);
}

function shownSize(bytes: number): string {
  if (bytes >= 1_048_576) return `${(bytes / 1_048_576).toFixed(1)}MB`;
  return bytes >= 1_024 ? `${(bytes / 1_024).toFixed(1)}KB` : `${bytes}B`;
}
