import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { EraMemory } from './era-cache.ts';

/** A larger file is none of ours. */
const bytesMax = 64 * 1_024;
const ownerOnly = 0o600;

/**
 * Keeps in a file which servers speak the older protocol. The folder must be there: it is not made. Of several processes that write it
 * the last one wins. A file that cannot be read or written is as good as none.
 */
export function eraFile(path: string): EraMemory {
  return {
    read: () => {
      try {
        return statSync(path).size > bytesMax ? undefined : readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    write: (text) => {
      const unfinished = `${path}.${process.pid}.new`;
      try {
        writeFileSync(unfinished, text, { mode: ownerOnly });
        renameSync(unfinished, path);
      } catch {
        // The next start finds out anew.
      }
    },
  };
}
