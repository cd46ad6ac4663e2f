import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { depthMax } from './bounds.ts';
import type { OpenFolders } from './folder.ts';
import type { Place } from './lookup.ts';
import { Refusal } from './refusal.ts';

/** Removes a folder and what is in it. Links are removed, not what they lead to. Throws the system's errors, with a part removed. */
export async function removeTree(folders: OpenFolders, place: Place, shown: string, depth = 0): Promise<void> {
  if (depth > depthMax) throw new Refusal(`folders nested deeper than ${depthMax}, removed in part: ${shown}`);
  const folder = await folders.enter(place.folder, place.name);
  for (const name of await readdir(folders.at(folder, '.'))) {
    const stats = await lstat(folders.at(folder, name));
    if (stats.isDirectory()) await removeTree(folders, { folder, name }, shown, depth + 1);
    else await unlink(folders.at(folder, name));
  }
  await folders.leave(folder);
  await rmdir(folders.at(place.folder, place.name));
}
