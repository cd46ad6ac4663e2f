import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes the mirrors in a folder that belong to no repository any more. A folder that is not there has none. What is no mirror stays.
 *
 * @param used names of the folders of mirrors that stay.
 * @returns the names of those that are gone.
 */
export async function removeUnusedMirrors(folder: string, used: ReadonlySet<string>): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const unused = entries
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('.git') && !used.has(entry.name))
    .map(({ name }) => name);
  for (const name of unused) await rm(join(folder, name), { recursive: true, force: true });
  return unused;
}
