import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { depthMax } from './bounds.ts';
import type { Folder, OpenFolders } from './folder.ts';
import type { Place } from './lookup.ts';
import { systemCode } from './refusal.ts';

export type EntryType = 'file' | 'directory' | 'symlink';

/** Something below the folder that is walked. Its folder is open until the next one is asked for. */
export interface Entry {
  readonly place: Place;
  /** From the folder where the walk began. */
  readonly path: string;
  readonly type: EntryType;
  /** False for a pipe, a socket or a device, which count as files otherwise. */
  readonly regular: boolean;
}

export interface Walk {
  readonly folders: OpenFolders;
  /** A folder with more than so many folders above it, up to where the walk began, is left out. */
  readonly depthMax: number;
  /** Set when folders were left out because they are nested too deeply for us. */
  tooDeep: boolean;
}

/** Everything below a folder, each folder before what is in it, by name; links are not followed. What cannot be opened is left out. */
export async function* walkTree(walk: Walk, folder: Folder, path = '', depth = 0): AsyncGenerator<Entry> {
  for (const dirent of await entriesOf(walk, folder)) {
    const place: Place = { folder, name: dirent.name };
    const entry: Entry = { place, path: path + dirent.name, type: typeOf(dirent), regular: dirent.isFile() };
    if (entry.type !== 'directory') {
      yield entry;
      continue;
    }
    if (depth > walk.depthMax) continue;
    yield entry;
    if (depth >= depthMax) {
      walk.tooDeep = true;
      continue;
    }
    const below = await enterIfThere(walk, place);
    if (below === undefined) continue;
    yield* walkTree(walk, below, `${entry.path}/`, depth + 1);
    await walk.folders.leave(below);
  }
}

async function entriesOf({ folders }: Walk, folder: Folder): Promise<Dirent[]> {
  const entries = await readdir(folders.at(folder, '.'), { withFileTypes: true });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** It may be gone by now, or may not be opened. */
async function enterIfThere({ folders }: Walk, { folder, name }: Place): Promise<Folder | undefined> {
  try {
    return await folders.enter(folder, name);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined || code === 'EMFILE' || code === 'ENFILE') throw thrown;
    return undefined;
  }
}

export function typeOf(entry: { isSymbolicLink(): boolean; isDirectory(): boolean }): EntryType {
  if (entry.isSymbolicLink()) return 'symlink';
  return entry.isDirectory() ? 'directory' : 'file';
}
