import { lstat, readdir, rename, unlink } from 'node:fs/promises';
import { depthMax } from '../bounds.ts';
import { type Call, find, type Subject, subjectsOf, type Tool } from '../call.ts';
import { copyFile, copyFolder } from '../copy-tree.ts';
import type { OpenFolders } from '../folder.ts';
import { type Found, type Place, realOf } from '../lookup.ts';
import { attempt, Refusal, systemCode } from '../refusal.ts';
import { removeTree } from '../remove-tree.ts';
import { syncFolder } from '../replace-file.ts';
import { holdsRoot } from '../roots.ts';
import { copyOf, placeFor, refuseIntoItself } from './copy.ts';

/** Moves a file, a folder, or a link itself and not what it leads to. */
export const move: Tool = async (call) => {
  const { source, destination } = subjectsOf(call, 'move');
  const found = await find(call, source, 'keep');
  if (found.kind !== 'file' && found.kind !== 'folder' && found.kind !== 'link')
    throw new Refusal('source file not found');
  const { place: from } = found;
  if (from === undefined || holdsRoot(call.roots, realOf(from))) throw new Refusal('cannot move root directory');
  const target = await find(call, destination);
  if (found.kind === 'folder') {
    refuseIntoItself(found.folder.real, target, destination.path);
    if (target.kind === 'file') throw new Refusal(`destination exists as a file: ${destination.path}`);
  }
  await attempt('cannot move', destination.path, async () => {
    const to = await placeFor(call, target, destination.path, from.name);
    await moveEntry(call, { source, destination, found, from, to });
    await syncFolder(to.folder);
    await syncFolder(from.folder);
  });
  return { source: source.path, destination: destination.path };
};

interface Move {
  readonly source: Subject;
  readonly destination: Subject;
  readonly found: Extract<Found, { readonly kind: 'file' | 'folder' | 'link' }>;
  readonly from: Place;
  readonly to: Place;
}

async function moveEntry(call: Call, how: Move): Promise<void> {
  const { folders } = call;
  const { from, to, found } = how;
  const [before, after] = [folders.at(from.folder, from.name), folders.at(to.folder, to.name)];
  try {
    await rename(before, after);
  } catch (thrown) {
    if (systemCode(thrown) !== 'EXDEV') throw thrown;
    await moveAcross(call, how);
    return;
  }
  // Two names of one file: the system leaves both where they are. Not if there is but one name, of which the file system takes
  // no notice whether it is written large or small.
  const left = realOf(from) === realOf(to) ? undefined : await lstat(before).catch(() => undefined);
  const isSame = left?.ino === found.stats.ino && left.dev === found.stats.dev;
  if (isSame && !left.isDirectory() && left.nlink > 1) await unlink(before);
}

/** To another file system: a copy, and when that is complete the original goes. Links would not survive a copy. */
async function moveAcross(call: Call, { source, destination, found, from, to }: Move): Promise<void> {
  const { folders } = call;
  if (found.kind === 'link' || (found.kind === 'folder' && !(await hasOnlyFiles(folders, from)))) {
    throw new Refusal(`cannot move links or special files to another file system: ${source.path}`);
  }
  const copying = copyOf(call, source, destination);
  if (found.kind === 'file') {
    await copyFile(copying, from, to);
    await unlink(folders.at(from.folder, from.name));
    return;
  }
  await copyFolder(copying, from, to, found.stats.mode);
  await removeTree(folders, from, source.path);
}

async function hasOnlyFiles(folders: OpenFolders, place: Place, depth = 0): Promise<boolean> {
  if (depth > depthMax) return false;
  const folder = await folders.enter(place.folder, place.name);
  try {
    for (const entry of await readdir(folders.at(folder, '.'), { withFileTypes: true })) {
      if (entry.isFile()) continue;
      if (!entry.isDirectory() || !(await hasOnlyFiles(folders, { folder, name: entry.name }, depth + 1))) return false;
    }
    return true;
  } finally {
    await folders.leave(folder);
  }
}
