import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyOut, fill, makeRoom, onSmallDisk, whyNoSmallDisk } from '../../../tests/small-disk.ts';
import { openDatabase, text } from '../src/adapters/sqlite/database.ts';
import { openReadOnly, startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { type Acked, Writer, withFilesUpTo } from './writer.ts';

const patience = { timeout: 30_000, interval: 5 };

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Everything acknowledged is in the log, every stream and view is sound, and so is the file. */
async function expectSound(acked: readonly Acked[], where = dataDir): Promise<void> {
  const running = await startStore({ dataDir: where, log: silent });
  try {
    const client = createInProcessClient(store.StoreService, running.service);
    const { streams } = await client.listStreams({});
    for (const stream of streams) expect((await client.verifyStream({ stream })).problems, stream).toEqual([]);
    for (const { stream, revision, key } of acked) {
      const by = { case: 'conversationId', value: stream.slice('conversation-'.length) } as const;
      const { knownKeys } = await client.load({ by, idempotencyKeys: [key] });
      expect(knownKeys, `acknowledged append ${key} of ${stream}`).toMatchObject([{ lastRevision: revision }]);
    }
  } finally {
    await running.stop();
  }
  const file = openDatabase(join(where, 'stopgo.db'), 'read');
  expect(file.all('PRAGMA integrity_check', (row) => text(row, 0))()).toEqual(['ok']);
  file.close();
}

test('a store killed at any moment has everything that it acknowledged, and starts again at once', async () => {
  const acked: Acked[] = [];
  for (let kill = 1; kill <= 8; kill++) {
    const writer = new Writer(dataDir, 16);
    // The dead process's lock must be gone: a writer that is refused never gets here.
    await expect.poll(() => writer.acked.length, patience).toBeGreaterThan(kill * 17);
    await writer.kill();
    acked.push(...writer.acked);
    expect(writer.failures).toEqual([]);
  }
  await expectSound(acked);
}, 120_000);

test('a second process is refused in one line that names the directory; the files are for their owner alone', async () => {
  const writer = new Writer(dataDir, 1);
  await expect.poll(() => writer.ready, patience).toBe(true);
  const inUse = `the data directory ${dataDir} is in use by another process; stop that process or choose another directory`;
  const second = new Writer(dataDir, 1);
  await second.gone();
  expect(second.refused).toBe(inUse);
  await expect(startStore({ dataDir, log: silent })).rejects.toThrow(inUse);

  await expect
    .poll(() => readdirSync(dataDir).sort())
    .toEqual(['lock.db', 'stopgo.db', 'stopgo.db-shm', 'stopgo.db-wal']);
  for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o777, name).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  await writer.kill();

  // A reader takes the directory as it was left, and a writer may come meanwhile.
  const readers = [await openReadOnly({ dataDir, log: silent }), await openReadOnly({ dataDir, log: silent })];
  await (await startStore({ dataDir, log: silent })).stop();
  // What was stopped cleanly it shares with other readers, and keeps writers out.
  readers.push(await openReadOnly({ dataDir, log: silent }), await openReadOnly({ dataDir, log: silent }));
  await expect(startStore({ dataDir, log: silent })).rejects.toThrow(inUse);
  const client = createInProcessClient(store.StoreService, readers[0]!.service);
  expect((await client.listConversations({})).summary?.total).toBeGreaterThan(0);
  for (const reader of readers) await reader.stop();
  await (await startStore({ dataDir, log: silent })).stop();
}, 60_000);

const linux = process.platform === 'linux';

test.skipIf(!linux)(
  'a full disk fails appends as unavailable, half applies none, and the same process goes on when there is room',
  async () => {
    const writer = new Writer(dataDir, 8, withFilesUpTo(3_000));
    await expect.poll(() => writer.failures.length, patience).toBeGreaterThan(20);
    expect(new Set(writer.failures)).toEqual(new Set(['unavailable disk_fails']));
    const before = writer.acked.length;
    expect(before).toBeGreaterThan(0);
    execFileSync('/usr/bin/prlimit', ['--fsize=unlimited', '--pid', `${writer.pid}`]);
    await expect.poll(() => writer.acked.length, patience).toBeGreaterThan(before + 50);
    await writer.kill();
    await expectSound(writer.acked);
  },
  60_000,
);

test('on a full disk the thread refuses every append as what it is, loses none that it took, and goes on once there is room', async (context) => {
  const why = whyNoSmallDisk(dataDir);
  if (why !== undefined) {
    if (process.env.CI === 'true') throw new Error(`no disk of its own can be had: ${why}`);
    console.warn(`SKIPPED, the full disk: no disk of its own can be had here: ${why}`);
    context.skip();
  }
  const [small, copy] = [join(dataDir, 'small'), join(dataDir, 'copy')];
  // So many append at once that the thread makes all commits.
  const writer = new Writer(small, 16, onSmallDisk(small, 48));
  await expect.poll(() => writer.acked.length, patience).toBeGreaterThan(50);
  fill(writer.pid, small);
  await expect.poll(() => writer.failures.length, patience).toBeGreaterThan(20);
  const [taken, refused] = [writer.acked.length, writer.failures.length];
  await expect.poll(() => writer.failures.length, patience).toBeGreaterThan(refused + 20);
  expect(writer.acked).toHaveLength(taken);
  expect(new Set(writer.failures)).toEqual(new Set(['unavailable disk_full nothing']));
  makeRoom(writer.pid, small);
  await expect.poll(() => writer.acked.length, patience).toBeGreaterThan(taken + 50);
  process.kill(writer.pid, 'SIGSTOP');
  await expect.poll(() => readFileSync(`/proc/${writer.pid}/status`, 'utf8'), patience).toMatch(/^State:\s+T/m);
  copyOut(writer.pid, small, copy);
  await writer.kill();
  await expectSound(writer.acked, copy);
}, 60_000);

test.skipIf(!linux)('a directory that cannot be used is named in one line', async () => {
  const cannot = (path: string) => expect(startStore({ dataDir: path, log: silent })).rejects;
  await cannot('/dev/null/data').toThrow(
    /^the data directory \/dev\/null\/data cannot be used \(ENOTDIR\); make it .*$/,
  );
  await cannot('/proc/data').toThrow(/^the data directory \/proc\/data cannot be used \(ENOENT\); make it .*$/);
  await expect(openReadOnly({ dataDir: join(dataDir, 'nothing'), log: silent })).rejects.toThrow(/holds no log/);
  const loop = join(dataDir, '..', `${basename(dataDir)}-loop`);
  symlinkSync(loop, loop);
  try {
    await expect(openReadOnly({ dataDir: loop, log: silent })).rejects.toThrow(/cannot be read \(ELOOP\)/);
  } finally {
    unlinkSync(loop);
  }
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a file that is no database is named, left as it is, and locks nobody out', async () => {
  const file = join(dataDir, 'stopgo.db');
  writeFileSync(file, 'not a database, but long enough to be taken for one'.repeat(100));
  const before = readFileSync(file);
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(startStore({ dataDir, log: silent })).rejects.toThrow(
      `the data directory ${dataDir} cannot be opened: the database file is damaged (SQLITE_NOTADB); restore it from a backup`,
    );
  expect(readFileSync(file)).toEqual(before);
});
