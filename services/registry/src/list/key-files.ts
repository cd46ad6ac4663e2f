import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Private keys as files, which is how ssh takes them: of this user alone, and only while git runs. */
export class KeyFiles {
  readonly #folder: string;

  /** What a process left that was killed is removed. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** Writes the key of a repository. Whoever asks removes it. */
  write(name: string, key: string): { readonly path: string; readonly remove: () => void } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, createHash('sha256').update(name).digest('hex'));
    const remove = () => rmSync(path, { force: true });
    remove();
    writeFileSync(path, key, { mode: 0o600 });
    return { path, remove };
  }
}
