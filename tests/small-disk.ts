import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const mount = (megabytes: number) =>
  `mkdir -p "$1" && mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && shift && exec "$@"`;

/** A command line that has a small disk of its own, seen by nobody else, at a folder, and then starts what follows it. */
export function onSmallDisk(folder: string, megabytes: number): [string, ...string[]] {
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount(megabytes), 'sh', folder];
}

/** Why this machine lets nobody have such a disk; undefined if it does. */
export function whyNoSmallDisk(folder: string): string | undefined {
  const [program, ...args] = onSmallDisk(join(folder, 'probe'), 1);
  const { status, stderr, error } = spawnSync(program, [...args, 'true'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'it failed';
}

/** A folder as a process sees it whose disks are its own. */
const insideOf = (pid: number, path: string) => `/proc/${pid}/root${path}`;

/** Fills the disk of a process to its last byte. */
export function fill(pid: number, folder: string): void {
  const file = openSync(insideOf(pid, join(folder, 'filler')), 'w');
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2))
      writeUntilFull(file, Buffer.alloc(bytes, 1));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.byteLength);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Makes a folder of what a process has in one of its own, as it stands: nobody sees that any more once the process is gone. */
export function copyOut(pid: number, folder: string, to: string): void {
  execFileSync('cp', ['-r', insideOf(pid, folder), to]);
}

/** Gives all of that free again. */
export function makeRoom(pid: number, folder: string): void {
  rmSync(insideOf(pid, join(folder, 'filler')));
}
