import { mkdir } from 'node:fs/promises';
import type { Folder, OpenFolders } from './folder.ts';
import { systemCode } from './refusal.ts';
import { folderMode } from './replace-file.ts';

/** Makes a folder in a folder unless it is there, and opens it. Throws the system's error when something else is there. */
export async function makeFolder(
  folders: OpenFolders,
  above: Folder,
  name: string,
  mode = folderMode,
): Promise<Folder> {
  try {
    await mkdir(folders.at(above, name), mode);
    await above.handle.sync();
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
  return folders.enter(above, name);
}

/** Makes the folders of these names, each in the one before; gives the last. */
export async function makeFolders(folders: OpenFolders, above: Folder, names: readonly string[]): Promise<Folder> {
  let folder = above;
  for (const name of names) folder = await makeFolder(folders, folder, name);
  return folder;
}
