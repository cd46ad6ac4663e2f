import { lstat, readdir } from 'node:fs/promises';
import { chunkBytes, copiedBytesMax, copiedEntriesMax, depthMax } from './bounds.ts';
import type { Folder, OpenFolders } from './folder.ts';
import { lookUp, type Place, realOf } from './lookup.ts';
import { makeFolder } from './make-folders.ts';
import { Refusal } from './refusal.ts';
import { permissions, replaceFile } from './replace-file.ts';
import type { Root } from './roots.ts';

/** What one copy is made with, and what it has made so far. */
export interface Copy {
  readonly folders: OpenFolders;
  readonly sourceRoot: Root;
  /** The destination as the caller gave it. */
  readonly shown: string;
  readonly unique: () => string;
  readonly signal: AbortSignal;
  entries: number;
  bytes: number;
  /** Links to folders, out of the root or to nothing, and what is neither file nor folder. */
  skipped: number;
}

/** Copies a regular file with its permissions; gives its size in bytes. What stands at the destination is replaced. */
export async function copyFile(copy: Copy, source: Place, destination: Place): Promise<number> {
  count(copy);
  const { folders, shown } = copy;
  const file = await folders.openFile(source.folder, source.name, shown);
  try {
    const { mode } = await file.stat();
    const before = await lstat(folders.at(destination.folder, destination.name)).catch(() => undefined);
    if (before?.isDirectory() === true) throw new Refusal(`path is a directory, not a file: ${shown}`);
    let size = 0;
    const fill = async (target: typeof file): Promise<void> => {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      while (true) {
        copy.signal.throwIfAborted();
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, null);
        if (bytesRead === 0) return;
        size += bytesRead;
        copy.bytes += bytesRead;
        if (copy.bytes > copiedBytesMax) throw new Refusal(`copy of more than ${copiedBytesMax} bytes: ${shown}`);
        await target.writeFile(chunk.subarray(0, bytesRead));
      }
    };
    // A link here is one that came meanwhile: it is replaced, not followed.
    const replaced = before?.isFile() === true ? before : undefined;
    const unique = copy.unique();
    await replaceFile({ folders, place: destination, unique, before: replaced, mode, refuse: 'nothing', shown, fill });
    return size;
  } finally {
    await file.close();
  }
}

/** Copies what is in a folder into another one, over what is there already. */
export async function copyTree(copy: Copy, source: Folder, destination: Folder, depth = 0): Promise<void> {
  const { folders, shown } = copy;
  if (depth > depthMax) throw new Refusal(`folders nested deeper than ${depthMax}, copied in part: ${shown}`);
  for (const name of (await readdir(folders.at(source, '.'))).sort()) {
    const from: Place = { folder: source, name };
    const to: Place = { folder: destination, name };
    const stats = await lstat(folders.at(source, name));
    if (stats.isDirectory()) await copyFolder(copy, from, to, stats.mode, depth);
    else if (stats.isFile()) await copyFile(copy, from, to);
    else if (stats.isSymbolicLink()) await copyLinked(copy, from, to);
    else copy.skipped += 1;
  }
}

/** Copies a folder to a place, permissions included. */
export async function copyFolder(copy: Copy, from: Place, to: Place, mode: number, depth = 0): Promise<void> {
  count(copy);
  const { folders } = copy;
  const source = await folders.enter(from.folder, from.name);
  const made = await makeFolder(folders, to.folder, to.name);
  await copyTree(copy, source, made, depth + 1);
  await made.handle.chmod(mode & permissions);
  await folders.leave(source);
  await folders.leave(made);
}

/** A link to a file of the root is copied as that file, as reading it would give. */
async function copyLinked(copy: Copy, from: Place, to: Place): Promise<void> {
  await copy.folders.within(async () => {
    const file = await linkedFile(copy, from);
    if (file === undefined) copy.skipped += 1;
    else await copyFile(copy, file, to);
  });
}

async function linkedFile({ folders, sourceRoot }: Copy, from: Place): Promise<Place | undefined> {
  const inside = realOf(from).slice(sourceRoot.real.length);
  try {
    const found = await lookUp(
      folders,
      sourceRoot,
      inside.split('/').filter((name) => name !== ''),
    );
    return found.kind === 'file' && found.stats.isFile() ? found.place : undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}

function count(copy: Copy): void {
  copy.signal.throwIfAborted();
  copy.entries += 1;
  if (copy.entries > copiedEntriesMax)
    throw new Refusal(`copy of more than ${copiedEntriesMax} entries: ${copy.shown}`);
}
