// A process whose folder for temporary files is full before a copy fits in: says how it is told, and what is left there.
import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyLog, openReadOnly } from '../src/index.ts';
import { silent } from './sqlite-log.ts';

const [rest = '', snapshot = ''] = process.argv.slice(2);
const backups = join(tmpdir(), 'backups');

async function told(act: () => unknown): Promise<void> {
  let message = 'nothing failed';
  try {
    await act();
  } catch (error) {
    message = error instanceof Error ? error.message : String(error);
  }
  console.log(JSON.stringify({ message, left: readdirSync(tmpdir()) }));
}

await told(() => openReadOnly({ dataDir: rest, log: silent }));
await told(() => openReadOnly({ dataDir: snapshot, log: silent }));
await told(() => {
  mkdirSync(join(backups, 'monday'), { recursive: true });
  return copyLog(rest, join(backups, 'monday'));
});
