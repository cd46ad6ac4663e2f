import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { optionalChoice, text } from '../arguments.ts';
import { patchedBytesMax } from '../bounds.ts';
import { type Call, find, type Subject, subjectOf, type Tool } from '../call.ts';
import type { Found, Place } from '../lookup.ts';
import { makeFolders } from '../make-folders.ts';
import { applyPatch, parsePatch } from '../patch.ts';
import { attempt, Refusal } from '../refusal.ts';
import { alreadyExists, replaceFile } from '../replace-file.ts';

const modes = ['overwrite', 'append', 'create_only'] as const;

export const writeFile: Tool = async (call) => {
  const subject = subjectOf(call, 'write_file');
  const content = Buffer.from(text(call.given, 'content'));
  const otherwise = (mode: string) => `invalid write mode: ${mode}; valid modes: ${modes.join(', ')}`;
  const mode = optionalChoice(call.given, 'mode', modes, otherwise) ?? 'overwrite';
  const target = await targetOf(call, subject);
  if (mode === 'create_only' && target.before !== undefined) throw alreadyExists(subject.path);
  await attempt('cannot write', subject.path, async () => {
    const { before } = target;
    const place = await target.make();
    if (mode === 'append' && before !== undefined) return append(call, place, subject.path, content);
    const refuse = mode === 'create_only' ? 'existing' : 'nothing';
    return replaceFile(replacement(call, subject, { place, before, refuse, content }));
  });
  return { path: subject.path, size: content.length, mode };
};

export const patchFile: Tool = async (call) => {
  const subject = subjectOf(call, 'patch_file');
  const hunks = parsePatch(Buffer.from(text(call.given, 'patch')).toString('latin1'));
  const target = await targetOf(call, subject);
  await attempt('cannot patch', subject.path, async () => {
    const { before } = target;
    const original = before === undefined ? '' : await originalOf(call, await target.make(), subject.path);
    // As Latin-1 every byte is a character, so that what is not UTF-8 comes through unharmed.
    const patched = applyPatch(original, hunks, (line) => Buffer.from(line, 'latin1').toString('utf8'));
    const content = Buffer.from(patched, 'latin1');
    const place = await target.make();
    await replaceFile(replacement(call, subject, { place, before, refuse: 'changed', content }));
  });
  return { path: subject.path, hunks_applied: hunks.length };
};

/** Where to write, and what is there. */
interface Target {
  readonly before: Stats | undefined;
  /** Makes the folders that are missing. */
  make(): Promise<Place>;
}

async function targetOf(call: Call, { root, path, names }: Subject): Promise<Target> {
  const found = await find(call, { root, path, names });
  if (found.kind === 'folder') throw new Refusal(`path is a directory, not a file: ${path}`);
  if (found.kind === 'file') return { before: found.stats, make: () => Promise.resolve(found.place) };
  return { before: undefined, make: () => newPlace(call, found, path) };
}

/** The place of something new, in folders that are made where they are missing. @throws Refusal */
export async function newPlace({ folders }: Call, found: Found, path: string): Promise<Place> {
  if (found.kind !== 'missing') {
    throw new Refusal(
      found.kind === 'loop' ? `links lead in a circle: ${path}` : `a part of the path is a file: ${path}`,
    );
  }
  const name = found.names.at(-1) ?? found.names[0];
  return { folder: await makeFolders(folders, found.folder, found.names.slice(0, -1)), name };
}

function replacement(
  { folders, unique }: Call,
  { path }: Subject,
  how: {
    readonly place: Place;
    readonly before: Stats | undefined;
    readonly refuse: 'nothing' | 'existing' | 'changed';
    readonly content: Buffer;
  },
) {
  const fill = (file: FileHandle): Promise<void> => file.writeFile(how.content);
  return { folders, ...how, unique: unique(), mode: undefined, shown: path, fill };
}

async function originalOf({ folders }: Call, place: Place, path: string): Promise<string> {
  const file = await folders.openFile(place.folder, place.name, path);
  try {
    const { size } = await file.stat();
    if (size > patchedBytesMax) throw new Refusal(`file too large to patch (limit: ${patchedBytesMax} bytes): ${path}`);
    return await file.readFile('latin1');
  } finally {
    await file.close();
  }
}

/** Adds to a file in place, which keeps what others append at the same time. What cannot be added whole is taken back. */
async function append({ folders }: Call, place: Place, path: string, content: Buffer): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND;
  const file = await folders.openFile(place.folder, place.name, path, flags);
  try {
    const { size } = await file.stat();
    const { bytesWritten } = await file.write(content);
    if (bytesWritten < content.length) {
      await file.truncate(size);
      throw new Refusal(`cannot write: no space left on the device: ${path}`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
