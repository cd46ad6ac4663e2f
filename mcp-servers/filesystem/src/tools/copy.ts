import { type Call, find, type Subject, subjectsOf, type Tool } from '../call.ts';
import { type Copy, copyFile, copyFolder, copyTree } from '../copy-tree.ts';
import { isWithin } from '../folder.ts';
import { type Found, type Place, realOf } from '../lookup.ts';
import { makeFolder } from '../make-folders.ts';
import { attempt, Refusal } from '../refusal.ts';
import { newPlace } from './write.ts';

export const copy: Tool = async (call) => {
  const { source, destination } = subjectsOf(call, 'copy');
  const found = await find(call, source);
  if (found.kind !== 'file' && found.kind !== 'folder') throw new Refusal('source file not found');
  const target = await find(call, destination);
  const into = target.kind === 'folder' ? target : undefined;
  const copying = copyOf(call, source, destination);
  const answer = { source: source.path, destination: destination.path };
  const run = <T>(step: () => Promise<T>): Promise<T> => attempt('cannot copy', destination.path, step);

  if (found.kind === 'file') {
    const size = await run(async () => {
      const place = await placeFor(call, target, destination.path, found.place.name);
      return copyFile(copying, found.place, place);
    });
    return { ...answer, is_directory: false, size };
  }
  if (target.kind === 'file') throw new Refusal(`destination exists as a file: ${destination.path}`);
  refuseIntoItself(found.folder.real, target, destination.path);
  await run(async () => {
    // The root has no name that may be told: what is in it is copied, and a folder goes into the one that is there.
    if (found.place === undefined && into !== undefined) return copyTree(copying, found.folder, into.folder);
    if (found.place === undefined) {
      const { folder, name } = await newPlace(call, target, destination.path);
      return copyTree(copying, found.folder, await makeFolder(call.folders, folder, name));
    }
    const place = await placeFor(call, target, destination.path, found.place.name);
    if (isWithin(realOf(place), found.folder.real)) throw intoItself(destination.path);
    return copyFolder(copying, found.place, place, found.stats.mode);
  });
  return { ...answer, is_directory: true, ...(copying.skipped > 0 ? { skipped: copying.skipped } : {}) };
};

/** A new copy that has made nothing so far. */
export function copyOf(call: Call, source: Subject, destination: Subject): Copy {
  const { folders, signal, unique } = call;
  const made = { entries: 0, bytes: 0, skipped: 0 };
  return { folders, sourceRoot: source.root, shown: destination.path, unique, signal, ...made };
}

/** Where something of that name goes: into a folder that is there, else to the place that the path names. */
export async function placeFor(call: Call, target: Found, path: string, name: string): Promise<Place> {
  if (target.kind === 'file') return target.place;
  return target.kind === 'folder' ? { folder: target.folder, name } : newPlace(call, target, path);
}

/** Nothing must be made in a folder by copying or moving that folder. @throws Refusal */
export function refuseIntoItself(source: string, target: Found, path: string): void {
  const real = target.kind === 'folder' || target.kind === 'missing' ? target.folder.real : undefined;
  if (real !== undefined && isWithin(real, source)) throw intoItself(path);
}

function intoItself(path: string): Refusal {
  return new Refusal(`cannot copy or move a folder into itself: ${path}`);
}
