// Folders are held open, and what lies in them is reached through them: nobody who renames a folder or puts a link in its
// place meanwhile can lead a call elsewhere.
//
// 1. A folder is opened by its name in the folder above, never following a link (O_NOFOLLOW).
// 2. Where the kernel shows open files as paths (Linux), a name is looked up in the open folder itself. Elsewhere it is
//    looked up by the real path, and what was opened is compared with what that path really is.
// 3. Files are opened in the same way, without waiting (a pipe would make a read wait for ever), and only regular ones.
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { outsideRoot, Refusal, systemCode } from './refusal.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** True where rule 2 holds by the kernel. */
export const kernelAnchors = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A folder inside of a root, open. */
export interface Folder {
  readonly handle: FileHandle;
  /** Where it was found on the host, free of links. Only for comparing; never shown. */
  readonly real: string;
}

/** The folders that one call holds open. */
export class OpenFolders {
  readonly #anchored: boolean;
  readonly #open = new Set<FileHandle>();

  constructor(anchored: boolean = kernelAnchors) {
    this.#anchored = anchored;
  }

  /** Opens a folder by its real path: a root. */
  async openRoot(real: string): Promise<Folder> {
    return this.#keep(await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real);
  }

  /** The path by which the system finds a name of this folder; `.` is the folder itself. */
  at(folder: Folder, name: string): string {
    return this.#anchored ? `/proc/self/fd/${folder.handle.fd}/${name}` : joined(folder.real, name);
  }

  /** Opens a folder of this folder. Throws the system's error when there is none, or a link. */
  async enter(folder: Folder, name: string): Promise<Folder> {
    const handle = await open(this.at(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return this.#keep(await this.#verified(folder, name, handle), joined(folder.real, name));
  }

  /** Opens a regular file of this folder with these flags. The caller closes it. @throws Refusal when it is something else. */
  async openFile(folder: Folder, name: string, shown: string, flags: number = O_RDONLY): Promise<FileHandle> {
    const before = await lstat(this.at(folder, name));
    if (before.isSymbolicLink()) throw outsideRoot();
    if (!before.isFile()) throw notRegular(shown);
    const handle = await open(this.at(folder, name), flags | O_NOFOLLOW | O_NONBLOCK);
    const verified = await this.#verified(folder, name, handle);
    if ((await verified.stat()).isFile()) return verified;
    await verified.close();
    throw notRegular(shown);
  }

  /** Closes a folder before the call is over. */
  async leave(folder: Folder): Promise<void> {
    if (this.#open.delete(folder.handle)) await folder.handle.close();
  }

  /** Runs one step of the call, and closes what that has opened. */
  async within<T>(step: () => Promise<T>): Promise<T> {
    const before = new Set(this.#open);
    try {
      return await step();
    } finally {
      const opened = [...this.#open].filter((handle) => !before.has(handle));
      for (const handle of opened) this.#open.delete(handle);
      await Promise.all(opened.map((handle) => handle.close()));
    }
  }

  async closeAll(): Promise<void> {
    const handles = [...this.#open];
    this.#open.clear();
    await Promise.all(handles.map((handle) => handle.close()));
  }

  #keep(handle: FileHandle, real: string): Folder {
    this.#open.add(handle);
    return { handle, real };
  }

  async #verified(folder: Folder, name: string, handle: FileHandle): Promise<FileHandle> {
    if (this.#anchored || (await isAt(joined(folder.real, name), handle))) return handle;
    await handle.close();
    throw outsideRoot();
  }
}

export function joined(real: string, name: string): string {
  return real === '/' ? `/${name}` : `${real}/${name}`;
}

/** True if one real path is another, or lies below it. */
export function isWithin(real: string, above: string): boolean {
  return real === above || real.startsWith(above === '/' ? '/' : `${above}/`);
}

async function isAt(real: string, handle: FileHandle): Promise<boolean> {
  try {
    const [found, there, opened] = await Promise.all([
      realpath(real),
      lstat(real, { bigint: true }),
      handle.stat({ bigint: true }),
    ]);
    return found === real && there.dev === opened.dev && there.ino === opened.ino;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}

function notRegular(shown: string): Refusal {
  return new Refusal(`not a regular file: ${shown}`);
}
