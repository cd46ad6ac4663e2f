import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { optionalInteger, text } from '../arguments.ts';
import { chunkBytes, hashSecondsMax } from '../bounds.ts';
import { find, subjectOf, type Tool } from '../call.ts';
import type { Found } from '../lookup.ts';
import { attempt, Refusal } from '../refusal.ts';
import { rfc3339 } from '../times.ts';

export const statFile: Tool = async (call) => {
  const subject = subjectOf(call, 'stat_file');
  const found = existing(await find(call, subject), subject.path);
  const { stats } = found;
  return {
    // The folder of a root has a name on the host, which is nobody's business.
    name: found.place?.name ?? '.',
    path: subject.path,
    size: stats.size,
    is_directory: found.kind === 'folder',
    is_symlink: found.throughLink,
    modified_at: rfc3339(stats.mtimeMs),
    // File systems that do not know it say the beginning of time.
    ...(stats.birthtimeMs > 0 ? { created_at: rfc3339(stats.birthtimeMs) } : {}),
  };
};

export const permissionsFile: Tool = async (call) => {
  const subject = subjectOf(call, 'permissions_file');
  const { stats } = existing(await find(call, subject), subject.path);
  return {
    path: subject.path,
    mode: `0${(stats.mode & 0o777).toString(8).padStart(3, '0')}`,
    mode_string: modeString(stats),
    owner: call.owners.user(stats.uid),
    group: call.owners.group(stats.gid),
  };
};

function existing(found: Found, path: string): Extract<Found, { readonly kind: 'folder' | 'file' }> {
  if (found.kind === 'folder' || found.kind === 'file') return found;
  throw new Refusal(`not found: ${path}`);
}

function modeString(stats: Stats): string {
  const bits = [...'rwxrwxrwx'].map((letter, index) => ((stats.mode >> (8 - index)) & 1 ? letter : '-'));
  return `${stats.isDirectory() ? 'd' : '-'}${bits.join('')}`;
}

const algorithms: readonly string[] = ['md5', 'sha1', 'sha256'];

/**
 * Reads the file in pieces of {@link chunkBytes}, so that other calls run in between. Before each piece it looks at the signal and at
 * the clock: a file may be huge, or grow for as long as it is read.
 */
export const hashFile: Tool = async (call) => {
  const subject = subjectOf(call, 'hash_file');
  const algorithm = text(call.given, 'algorithm');
  if (!algorithms.includes(algorithm)) {
    throw new Refusal(`unsupported hash algorithm: ${algorithm}; supported: ${algorithms.join(', ')}`);
  }
  const seconds = optionalInteger(call.given, 'timeout_seconds', { min: 0, max: hashSecondsMax }) ?? hashSecondsMax;
  const deadline = call.monotonicMs() + seconds * 1_000;
  const found = await find(call, subject);
  if (found.kind === 'folder') throw new Refusal(`cannot hash a directory: ${subject.path}`);
  if (found.kind !== 'file') throw new Refusal(`file not found: ${subject.path}`);
  return attempt('cannot read', subject.path, async () => {
    const file = await call.folders.openFile(found.place.folder, found.place.name, subject.path);
    try {
      const hash = createHash(algorithm);
      const chunk = Buffer.allocUnsafe(chunkBytes);
      let size = 0;
      while (true) {
        call.signal.throwIfAborted();
        if (call.monotonicMs() >= deadline) throw tooSlow(subject.path, seconds, size);
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, size);
        if (bytesRead === 0) return { path: subject.path, algorithm, hash: hash.digest('hex'), size };
        hash.update(chunk.subarray(0, bytesRead));
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
  });
};

function tooSlow(path: string, seconds: number, bytes: number): Refusal {
  const advice =
    seconds < hashSecondsMax
      ? `try again with a larger timeout_seconds (at most ${hashSecondsMax})`
      : 'this file cannot be hashed in one call';
  return new Refusal(`hash_file timed out after ${seconds} s, with ${bytes} bytes read: ${path}; ${advice}`);
}
