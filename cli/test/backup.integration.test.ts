import { randomUUID } from 'node:crypto';
import fs, {
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, fact } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { lockForServices, type RunningStore, startStore } from '@stopgo/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCaptured } from '../src/run-captured.ts';
import { append, conversationId, recordReport } from './report-run.ts';

/** A copy of the log that is made while a process has it, and put back. */
let folder: string;
let dataDir: string;
let target: string;
let running: RunningStore | undefined;
const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-backup-'));
  dataDir = join(folder, 'data');
  target = join(folder, 'backups/monday');
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true });
});

async function started(directory = dataDir): Promise<Client<typeof store.StoreService>> {
  running = await startStore({ dataDir: directory, log });
  return createInProcessClient(store.StoreService, running.service);
}

const backUp = () => runCaptured(['backup', target, '--data-dir', dataDir]);
const stream = conversationStream(conversationId);
const revisionOf = async (client: Client<typeof store.StoreService>) =>
  (await client.readStream({ stream, fromRevision: 1 })).headRevision;

test('while a process has the log it is copied as it is, verified, and can be put in its place', async () => {
  const client = await started();
  await recordReport(client);
  const before = await revisionOf(client);
  writeFileSync(join(dataDir, 'push.key'), '');
  const { code, output, errors } = await backUp();
  expect([code, errors]).toEqual([0, '']);
  const [verified, kept, left] = output.split('\n');
  expect(verified).toMatch(/^\d+ streams, \d+ events: every hash chain holds and every view equals its events$/);
  expect(kept).toBe(`${target}: ${statSync(join(target, 'stopgo.db')).size} bytes, verified`);
  expect(left).toMatch(/^not in it: push\.key/);
  expect(readdirSync(join(folder, 'backups'))).toEqual(['monday']);
  expect(readdirSync(target)).toEqual(['stopgo.db']);
  expect([statSync(target).mode & 0o777, statSync(join(target, 'stopgo.db')).mode & 0o777]).toEqual([0o700, 0o600]);

  const later = randomUUID();
  await append(client, conversationStream(later), 0, [fact('conversationCreated', { conversationId: later })]);
  await running?.stop();
  const restored = await started(target);
  expect(await revisionOf(restored)).toBe(before);
  expect((await restored.getConversation({ conversationId })).view?.head?.revision).toBe(before);
  expect((await restored.listConversations({})).summary?.total).toBe(1);
});

test('nothing that is there is replaced', async () => {
  await recordReport(await started());
  mkdirSync(target, { recursive: true });
  expect(await backUp()).toEqual({
    code: 1,
    output: '',
    errors: `stopgo: ${target} is there already; name a directory that is not\n`,
  });
  expect(readdirSync(target)).toEqual([]);
});

test('a copy that does not verify is told and not kept', async () => {
  await recordReport(await started());
  await running?.stop();
  const file = join(dataDir, 'stopgo.db');
  writeFileSync(file, readFileSync(file, 'latin1').replaceAll('So.', 'No.'), 'latin1');
  const { code, output, errors } = await backUp();
  expect(code).toBe(1);
  expect(output).toMatch(/event \d+: its hash does not follow/);
  expect(errors).toMatch(/^stopgo: the copy does not verify, and was removed; .*\n$/);
  expect(readdirSync(join(folder, 'backups'))).toEqual([]);
});

test('a directory that cannot be made is named', async () => {
  await recordReport(await started());
  writeFileSync(join(folder, 'file'), '');
  const into = join(folder, 'file', 'deeper', 'monday');
  const { code, errors } = await runCaptured(['backup', into, '--data-dir', dataDir]);
  expect(code).toBe(1);
  expect(errors).toMatch(
    /^stopgo: the directory \S+\/file\/deeper cannot be made: ENOTDIR: not a directory, mkdir .*\n$/,
  );
});

test('a directory without a log is named, and nothing is left', async () => {
  mkdirSync(dataDir);
  const { code, errors } = await backUp();
  expect(code).toBe(1);
  expect(errors).toMatch(
    /^stopgo: the data directory \S+ holds no log; check the path, or, where services run separately, back up NATS: docs\/operations\.md, "Backup and restore", says how\n$/,
  );
  expect(readdirSync(join(folder, 'backups'))).toEqual([]);
});

test('of a directory that separate services use, it is said that NATS is to be backed up', async () => {
  mkdirSync(dataDir);
  const lock = lockForServices(dataDir);
  try {
    expect(await backUp()).toEqual({
      code: 1,
      output: '',
      errors: `stopgo: the data directory ${dataDir} is in use by separate services, whose log is not in it; back up NATS: docs/operations.md, "Backup and restore", says how\n`,
    });
  } finally {
    lock.unlock();
  }
});

test('a backup whose name may not be on the disk yet stays, and what happened is told', async () => {
  await recordReport(await started());
  const { fsyncSync } = fs;
  const parent = join(folder, 'backups');
  const failing = vi.spyOn(fs, 'fsyncSync').mockImplementation((opened) => {
    if (fstatSync(opened).ino === statSync(parent).ino) throw new Error('EIO: i/o error, fsync');
    fsyncSync(opened);
  });
  syncBuiltinESMExports();
  try {
    const { code, errors } = await backUp();
    expect(code).toBe(1);
    expect(errors).toBe(
      `stopgo: ${target} is there and verified, but ${parent} could not be written to the disk (EIO: i/o error, fsync): a power cut may undo it; make another backup\n`,
    );
  } finally {
    failing.mockRestore();
    syncBuiltinESMExports();
  }
  expect(readdirSync(parent)).toEqual(['monday']);
});
