// From a caller's path to what it names, one name at a time.
//
// 1. The caller's own `..` is taken as text, as in a URL; it cannot leave the root, and neither can a path that starts with `/`.
// 2. A link is read, and what it says is followed from the folder that holds it, here and not by the system. A `..` in it
//    goes to the folder above, which is still open; one above the root, and an absolute path not into the root, is refused.
// 3. So whatever is found lies in the root at that moment, and is reached through folders that stay open (see folder.ts).
import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { linksMax, pathBytesMax } from './bounds.ts';
import { type Folder, isWithin, joined, type OpenFolders } from './folder.ts';
import { outsideRoot, Refusal, systemCode } from './refusal.ts';
import type { Root } from './roots.ts';

/** What a path names. `throughLink`: its last name is that of a link, which was followed. */
export type Found =
  /** `place` is absent for the root itself. */
  | {
      readonly kind: 'folder';
      readonly folder: Folder;
      readonly place: Place | undefined;
      readonly stats: Stats;
      readonly throughLink: boolean;
    }
  /** A file, or anything else that is neither folder nor link. */
  | { readonly kind: 'file'; readonly place: Place; readonly stats: Stats; readonly throughLink: boolean }
  /** Only when links are not followed at the end. */
  | { readonly kind: 'link'; readonly place: Place; readonly stats: Stats }
  /** The folder is there, and the first of the names is not in it. */
  | { readonly kind: 'missing'; readonly folder: Folder; readonly names: readonly [string, ...string[]] }
  /** A file stands where the path needs a folder. */
  | { readonly kind: 'blocked' }
  /** Links that lead to each other. */
  | { readonly kind: 'loop' };

/** A name in an open folder. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
}

export function realOf({ folder, name }: Place): string {
  return joined(folder.real, name);
}

/** The names that a caller's path goes through, below the root. @throws Refusal when it leaves the root. */
export function namesOf(path: string): readonly string[] {
  if (path.includes('\0')) throw new Refusal('path contains null bytes', 'violation');
  if (Buffer.byteLength(path) > pathBytesMax) throw new Refusal(`path is longer than ${pathBytesMax} bytes`);
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw outsideRoot();
  }
  if (path.startsWith('/') && names.length > 0) throw outsideRoot();
  return names;
}

/**
 * Finds what the names lead to. `last: 'keep'` leaves a link at the end unfollowed, but still refuses one that leads out.
 * @throws Refusal for a way out of the root, and the system's errors.
 */
export async function lookUp(
  folders: OpenFolders,
  root: Root,
  names: readonly string[],
  last: 'follow' | 'keep' = 'follow',
): Promise<Found> {
  const target = await walk(folders, root, names, true);
  return last === 'follow' ? target : walk(folders, root, names, false);
}

async function walk(folders: OpenFolders, root: Root, names: readonly string[], followLast: boolean): Promise<Found> {
  const above: [Folder, ...Folder[]] = [await folders.openRoot(root.real)];
  let inside: string[] = [];
  let rest = [...names];
  let links = 0;
  let throughLink = false;

  const here = (): Folder => above.at(-1) ?? above[0];
  const backToRoot = (): void => {
    above.length = 1;
    inside = [];
  };

  while (true) {
    const name = rest.shift();
    if (name === undefined) {
      const folder = here();
      const parent = above.at(-2);
      const own = inside.at(-1);
      const place = parent === undefined || own === undefined ? undefined : { folder: parent, name: own };
      return { kind: 'folder', folder, place, stats: await folder.handle.stat(), throughLink };
    }
    if (name === '..') {
      if (above.length === 1) throw outsideRoot();
      above.pop();
      inside.pop();
      continue;
    }
    const place: Place = { folder: here(), name };
    const stats = await entryAt(folders, place);
    if (stats === undefined) return missing(place, rest);
    if (stats.isSymbolicLink()) {
      if (rest.length === 0 && !followLast) return { kind: 'link', place, stats };
      links += 1;
      if (links > linksMax) return { kind: 'loop' };
      if (rest.length === 0) throughLink = true;
      const target = await readlink(folders.at(place.folder, name));
      const onward = target.startsWith('/') ? intoRoot(root, target) : target;
      if (target.startsWith('/')) backToRoot();
      rest = [...split(onward), ...rest];
      continue;
    }
    if (!stats.isDirectory()) {
      return rest.length === 0 ? { kind: 'file', place, stats, throughLink } : { kind: 'blocked' };
    }
    above.push(await folders.enter(place.folder, name));
    inside.push(name);
  }
}

/** What is not there cannot be left by `..` either: the system would not find such a path, and nobody should create it. */
function missing({ folder, name }: Place, rest: readonly string[]): Found {
  if (rest.includes('..')) throw outsideRoot();
  return { kind: 'missing', folder, names: [name, ...rest] };
}

async function entryAt(folders: OpenFolders, { folder, name }: Place): Promise<Stats | undefined> {
  try {
    return await lstat(folders.at(folder, name));
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** The rest of an absolute path below the root. Compared as text: a way through other links of the host is a way out. */
function intoRoot(root: Root, target: string): string {
  for (const start of [root.real, root.given]) {
    if (isWithin(target, start)) return target.slice(start.length);
  }
  throw outsideRoot();
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
