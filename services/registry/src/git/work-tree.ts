import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from './access.ts';
import type { Blob } from './blobs.ts';
import { GitFailure } from './git-failure.ts';
import { mirrorBounds } from './mirror.ts';
import type { Remote } from './remote.ts';
import type { TreeEntry } from './tree.ts';

/** Entries of folders that are looked at, and levels of folders. */
const entriesMax = 200_000;
const levelsMax = 64;
/** Hidden folders that other programs keep agents in. */
const agentFolders: readonly string[] = ['.claude', '.github'];
const digestDigits = 40;

/** How the state of a work tree begins, in the place of a commit. */
export const workTreeMark = 'worktree-';

/** True for the state of a work tree, which no repository of git holds. */
export const isOfWorkTree = (commit: string): boolean => commit.startsWith(workTreeMark);

type Found = TreeEntry & { readonly bytes: number; readonly changed: number };

/** The markdown files of a folder as they lie there, committed or not. No link is followed. */
export class WorkTree {
  #folder = '';
  #found: readonly Found[] = [];

  /** Looks at all files. @throws GitFailure */
  async fetch(remote: Remote, _credentials: Credentials, signal: AbortSignal): Promise<void> {
    if (remote.protocol !== 'file') throw new GitFailure('refused', 'worktree goes with a folder of this machine only');
    this.#folder = remote.url;
    const known = new Map(this.#found.map((one) => [one.path, one]));
    const found: Found[] = [];
    let entries = 0;
    for (const folders: string[][] = [[]]; folders.length > 0; ) {
      const folder = folders.pop() ?? [];
      if (folder.length > levelsMax) throw tooMuch(`is more than ${levelsMax} folders deep`);
      for await (const entry of await opendir(join(this.#folder, ...folder))) {
        signal.throwIfAborted();
        entries += 1;
        if (entries > entriesMax) throw tooMuch(`has more than ${entriesMax} files`);
        const parts = [...folder, entry.name];
        if (entry.isDirectory()) {
          if (isLookedAt(entry.name, folder)) folders.push(parts);
        } else if (entry.name.endsWith('.md')) {
          const one = await this.#look(parts.join('/'), known);
          if (one !== undefined) found.push(one);
        }
      }
    }
    this.#found = found.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** The state of all files, marked. */
  async headOf(): Promise<string> {
    const hash = createHash('sha256');
    for (const { path, kind, object } of this.#found) hash.update(`${kind} ${object} ${path}\0`);
    return `${workTreeMark}${hash.digest('hex').slice(0, digestDigits)}`;
  }

  async *tree(): AsyncGenerator<TreeEntry, void, undefined> {
    yield* this.#found;
  }

  /** @throws GitFailure for a file that is another by now: it is looked at again. */
  async *contents(objects: readonly string[]): AsyncGenerator<readonly [string, Blob], void, undefined> {
    const wanted = new Set(objects);
    for (const { path, object, bytes } of this.#found) {
      if (!wanted.delete(object)) continue;
      if (bytes > mirrorBounds.fileBytesMax) yield [object, { kind: 'too_large', bytes }];
      else {
        const content = await this.#read(path);
        if (content === undefined || digestOf(content) !== object)
          throw new GitFailure('other', 'files are changed while they are read; they are read again');
        yield [object, { kind: 'content', bytes: content }];
      }
    }
  }

  async #look(path: string, known: ReadonlyMap<string, Found>): Promise<Found | undefined> {
    const stat = await lstat(join(this.#folder, path)).catch(() => undefined);
    if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return undefined;
    const kind = stat.isFile() ? 'file' : 'symlink';
    const is = { path, kind, bytes: stat.size, changed: stat.ctimeMs } as const;
    const before = known.get(path);
    // Its content was read when it was not younger than this.
    if (before?.changed === is.changed && before.bytes === is.bytes && before.kind === kind) return before;
    if (kind === 'symlink') return { ...is, object: 'link' };
    if (stat.size > mirrorBounds.fileBytesMax) return { ...is, object: `large ${stat.size} ${path}` };
    const content = await this.#read(path);
    return content === undefined ? undefined : { ...is, object: digestOf(content) };
  }

  async #read(path: string): Promise<Buffer | undefined> {
    const file = await open(join(this.#folder, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const bytes = Buffer.alloc(mirrorBounds.fileBytesMax + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
      return bytes.subarray(0, length);
    } finally {
      await file.close();
    }
  }
}

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

const tooMuch = (why: string) => new GitFailure('too_large', `the folder ${why}; name one that holds agents only`);

function isLookedAt(name: string, folders: readonly string[]): boolean {
  if (name === 'node_modules') return false;
  // Of the hidden ones only the folder of agents holds agents.
  if (agentFolders.includes(folders.at(-1) ?? '')) return name === 'agents';
  return !name.startsWith('.') || agentFolders.includes(name);
}
