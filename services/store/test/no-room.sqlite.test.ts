import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onSmallDisk, whyNoSmallDisk } from '../../../tests/small-disk.ts';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { openStore } from '../src/start.ts';
import { freshDirectory, silent } from './sqlite-log.ts';

let folder: string;

beforeEach(() => {
  folder = freshDirectory();
});
afterEach(() => rmSync(folder, { recursive: true }));

const script = fileURLToPath(new URL('./no-room.process.ts', import.meta.url));

/** A directory whose views are to be made anew, and a snapshot of one in use; neither fits on the small disk. */
async function directories(): Promise<{ readonly rest: string; readonly snapshot: string }> {
  const [rest, snapshot] = [join(folder, 'rest'), join(folder, 'snapshot')];
  const { store } = await openStore({ dataDir: rest, log: silent });
  await store.stop();
  const database = openDatabase(join(rest, 'stopgo.db'), 'write');
  const padding = 'CREATE TABLE padding (bytes BLOB); INSERT INTO padding VALUES (zeroblob(3000000))';
  database.exec(`UPDATE views_meta SET version = 'older'; ${padding}`);
  mkdirSync(snapshot);
  // By another process: one that opens and closes the file of its own lock would lose it.
  execFileSync('sh', ['-c', `cp ${rest}/stopgo.db ${rest}/stopgo.db-wal ${snapshot}`]);
  expect(statSync(join(snapshot, 'stopgo.db-wal')).size).toBeGreaterThan(3_000_000);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return { rest, snapshot };
}

test('a disk that has no room for a copy is told as what it is, and nothing of the copy stays', async (context) => {
  const why = whyNoSmallDisk(folder);
  if (why !== undefined) {
    if (process.env.CI === 'true') throw new Error(`no disk of its own can be had: ${why}`);
    console.warn(`SKIPPED, no room for a copy: no disk of its own can be had here: ${why}`);
    context.skip();
  }
  const { rest, snapshot } = await directories();
  const small = join(folder, 'small');
  const [program, ...args] = onSmallDisk(small, 1);
  const node = [process.execPath, '--conditions=stopgo-source', '--import', 'tsx', script, rest, snapshot];
  const printed = execFileSync(program, [...args, ...node], { env: { ...process.env, TMPDIR: small } });
  const noRoom = (where: string) => `there is no room in ${where} for a copy of the event log; make some, or`;
  const temporary = `${noRoom(small)} set TMPDIR to a folder on a larger disk`;
  const lines = String(printed).trim().split('\n');
  const left = (all: readonly string[]) => all.filter((name) => name.startsWith('stopgo'));
  expect(lines.map((line) => JSON.parse(line)).map((one) => [one.message, left(one.left)])).toEqual([
    [temporary, []],
    [temporary, []],
    [`${noRoom(join(small, 'backups'))} name a directory on a larger disk`, []],
  ]);
});
