import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it, as far as they are not there; `mode` is that of each. One by one: where none can be made
 * (`/proc/x`), Node 20 asked for all of them at once never ends.
 *
 * @throws as `node:fs` does, with the code of the system.
 */
export function makeDirectory(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
