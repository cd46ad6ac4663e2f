import { unlink } from 'node:fs/promises';
import { find, subjectOf, type Tool } from '../call.ts';
import { realOf } from '../lookup.ts';
import { makeFolders } from '../make-folders.ts';
import { attempt, Refusal } from '../refusal.ts';
import { removeTree } from '../remove-tree.ts';
import { syncFolder } from '../replace-file.ts';
import { holdsRoot } from '../roots.ts';

export const createFolder: Tool = async (call) => {
  const subject = subjectOf(call, 'create_folder');
  const { path } = subject;
  const found = await find(call, subject);
  if (found.kind === 'loop') throw new Refusal(`links lead in a circle: ${path}`);
  if (found.kind === 'missing') {
    await attempt('cannot create', path, () => makeFolders(call.folders, found.folder, found.names));
  } else if (found.kind !== 'folder') throw new Refusal(`path exists as a file: ${path}`);
  return { path, created: true };
};

/** Removes a file, or a link itself and not what it leads to. */
export const removeFile: Tool = async (call) => {
  const subject = subjectOf(call, 'remove_file');
  const { path } = subject;
  const found = await find(call, subject, 'keep');
  if (found.kind === 'folder') throw new Refusal(`path is a directory, use remove_folder instead: ${path}`);
  if (found.kind !== 'file' && found.kind !== 'link') throw new Refusal(`file not found: ${path}`);
  const { folder, name } = found.place;
  await attempt('cannot remove', path, async () => {
    await unlink(call.folders.at(folder, name));
    await syncFolder(folder);
  });
  return { path, removed: true };
};

export const removeFolder: Tool = async (call) => {
  const subject = subjectOf(call, 'remove_folder', { emptyPath: 'may be empty' });
  const { path } = subject;
  const found = await find(call, subject, 'keep');
  if (found.kind === 'file' || found.kind === 'link') {
    throw new Refusal(`path is a file, use remove_file instead: ${path}`);
  }
  if (found.kind !== 'folder') throw new Refusal(`directory not found: ${path}`);
  const { place } = found;
  if (place === undefined || holdsRoot(call.roots, realOf(place))) throw new Refusal('cannot remove root directory');
  await attempt('cannot remove', path, async () => {
    await removeTree(call.folders, place, path);
    await syncFolder(place.folder);
  });
  return { path, removed: true };
};
