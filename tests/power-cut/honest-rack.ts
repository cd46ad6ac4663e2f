import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Rack } from './rack.ts';

const text = 'what was written\n'.repeat(1_000);

/**
 * Shows that a cut keeps what was synced and loses what was not: else nothing that a round finds would mean anything.
 * Throws if it does not.
 */
export function expectHonest(rack: Rack): void {
  const disk = rack.newDisk();
  writeFileSync(join(disk.folder, 'not-synced'), text);
  const file = openSync(join(disk.folder, 'synced'), 'w');
  writeSync(file, text);
  fsyncSync(file);
  // A file that is known to the disk, and grows without being synced again.
  writeSync(file, text);
  const after = rack.cut(disk, () => closeSync(file));
  const [synced, notSynced] = ['synced', 'not-synced'].map((name) => readOrNothing(join(after.folder, name)));
  after.remove();
  disk.remove();
  if (synced !== text) throw new Error('this disk is no test: a cut did not leave exactly what was synced');
  if (notSynced !== '') throw new Error('this disk is no test: a cut left what was never synced');
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
