import { constants, lstatSync, renameSync, type Stats } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import type { Folder, OpenFolders } from './folder.ts';
import type { Place } from './lookup.ts';
import { Refusal, systemCode } from './refusal.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Permissions of new files and folders, before the umask. */
export const fileMode = 0o644;
export const folderMode = 0o755;
/** The part of a mode that is kept and copied. */
export const permissions = 0o777;

/** How a file is replaced. */
export interface Replacement {
  readonly folders: OpenFolders;
  readonly place: Place;
  /** Digits that no other file has in its name. */
  readonly unique: string;
  /** What stands there now; absent: nothing may stand there, unless `overwrite` says that whatever came meanwhile goes. */
  readonly before: Stats | undefined;
  readonly mode: number | undefined;
  /** `changed`: refuse if what stands there is not `before` any more. */
  readonly refuse: 'nothing' | 'existing' | 'changed';
  /** The path as the caller gave it. */
  readonly shown: string;
  readonly fill: (file: FileHandle) => Promise<void>;
}

/**
 * Writes a file beside its place, on the disk before it takes the place in one step: whoever looks, also after a crash, sees
 * the old content or the new. Keeps the mode of what was there and, where the system lets it, the owner.
 */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { folders, place, before, shown } = replacement;
  if (before !== undefined) await requireWritable(folders, place, shown);
  const beside = folders.at(place.folder, `.mcp-filesystem-${replacement.unique}.tmp`);
  const file = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode);
  try {
    try {
      await replacement.fill(file);
      await adopt(file, before, replacement.mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await takePlace(replacement, beside);
  } catch (thrown) {
    await unlink(beside).catch(() => undefined);
    throw thrown;
  }
  await syncFolder(place.folder);
}

async function takePlace({ folders, place, before, refuse, shown }: Replacement, beside: string): Promise<void> {
  const at = folders.at(place.folder, place.name);
  if (refuse === 'existing') {
    // Unlike a rename this fails if there is something by now.
    try {
      await link(beside, at);
    } catch (thrown) {
      if (systemCode(thrown) === 'EEXIST') throw alreadyExists(shown);
      throw thrown;
    }
    await unlink(beside);
    return;
  }
  // Nothing else of this process runs between the look and the rename.
  if (refuse === 'changed' && !isSame(before, lstatSync(at, { throwIfNoEntry: false }))) {
    throw new Refusal(`file changed meanwhile, nothing was written: ${shown}`);
  }
  renameSync(beside, at);
}

export function alreadyExists(shown: string): Refusal {
  return new Refusal(`file already exists: ${shown}; use overwrite mode to replace`);
}

function isSame(before: Stats | undefined, now: Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

/** A rename would replace a file that its mode protects. */
async function requireWritable(folders: OpenFolders, place: Place, shown: string): Promise<void> {
  const file = await folders.openFile(place.folder, place.name, shown, O_WRONLY);
  await file.close();
}

async function adopt(file: FileHandle, before: Stats | undefined, mode: number | undefined): Promise<void> {
  const kept = mode ?? before?.mode;
  if (kept !== undefined) await file.chmod(kept & permissions);
  // Only a privileged process may give files away; the others keep what they made.
  if (before !== undefined) await file.chown(before.uid, before.gid).catch(() => undefined);
}

/** A name that was made or taken away is on the disk when its folder is. */
export async function syncFolder(folder: Folder): Promise<void> {
  await folder.handle.sync();
}
