import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { blobBytesMax } from '@stopgo/core';
import { shownName } from '../shown.ts';

/** A file as the gateway takes it. */
export type GivenFile = {
  /** Without its folder. */
  readonly name: string;
  /** Absent: nobody says, and the gateway looks at the bytes. */
  readonly media_type?: string;
  readonly base64: string;
};

/** What a file is, by the ending of its name. */
const byEnding: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.toml': 'application/toml',
  '.tsv': 'text/tab-separated-values',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

const isType = (text: string): boolean => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(text);

/**
 * The file at a path, which is read whole. `mediaType`: what it is, in place of what its ending says.
 *
 * @throws Error for a path that names no readable file of 1 byte to 12 MiB, and for what is no media type.
 */
export async function givenFile(path: string, mediaType?: string): Promise<GivenFile> {
  if (mediaType !== undefined && !isType(mediaType))
    throw new Error(`--media-type takes a type such as text/csv, not ${shownName(mediaType)}`);
  const bytes = await bytesOf(path);
  const type = mediaType ?? byEnding[extname(path).toLowerCase()];
  return {
    name: basename(path),
    ...(type === undefined ? {} : { media_type: type }),
    base64: bytes.toString('base64'),
  };
}

async function bytesOf(path: string): Promise<Buffer> {
  // Whoever opens a pipe that nobody writes to would wait without end.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw new Error(`${shownName(path)} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  });
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw new Error(`${shownName(path)} is no file`);
    if (about.size === 0) throw new Error(`${shownName(path)} is empty`);
    if (about.size > blobBytesMax)
      throw new Error(`${shownName(path)} has ${about.size} bytes; at most ${blobBytesMax} can be given`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
