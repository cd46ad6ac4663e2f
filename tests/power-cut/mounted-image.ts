import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import type { Undo } from './undo.ts';

/** Size of an image. It takes no more room than was written. */
const mebibytes = 512;

/** An ext4 file system in a file, mounted beside it through a loop device. */
export class MountedImage {
  readonly image: string;
  /** Where it is mounted. */
  readonly folder: string;
  private readonly forget: () => void;

  /** Mounts an image that is there. Replays the journal, as a machine does that gets its power back. */
  constructor(image: string, folder: string, undo: Undo) {
    this.image = image;
    this.folder = folder;
    const removeImage = undo.add(() => rmSync(image, { force: true }));
    mkdirSync(folder);
    const removeFolder = undo.add(() => rmSync(folder, { recursive: true, force: true }));
    command('mount', '-o', 'loop', image, folder);
    const unmount = undo.add(() => unmounted(folder));
    this.forget = () => {
      unmount();
      removeFolder();
      removeImage();
    };
  }

  /** Makes an empty file system and mounts it. */
  static create(image: string, folder: string, undo: Undo): MountedImage {
    command('truncate', `--size=${mebibytes}M`, image);
    // Everything is made at once: nothing is written later that no program asked for.
    command('mkfs.ext4', '-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image);
    return new MountedImage(image, folder, undo);
  }

  /** Unmounts and deletes it. Nobody may use it any more. */
  remove(): void {
    this.forget();
  }
}

/** Runs a program of the system to its end. Throws what it said if it fails. */
export function command(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function unmounted(folder: string): void {
  try {
    command('umount', folder);
  } catch {
    // Somebody still holds a file of it. It goes when they do.
    command('umount', '--lazy', folder);
  }
}
