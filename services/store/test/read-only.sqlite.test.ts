import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockForWriting } from '../src/adapters/sqlite/data-directory.ts';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { lockForServices, openReadOnly, type RunningStore, startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { underWay } from './store-blobs.contract.ts';
import { Story } from './story.ts';

/** What a reader sees of a data directory, and that it leaves it as it is. */
let dataDir: string;
let temporary: string;
const stops: (() => Promise<void>)[] = [];
const { TMPDIR } = process.env;

beforeEach(() => {
  dataDir = freshDirectory();
  temporary = freshDirectory();
  process.env.TMPDIR = temporary;
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  for (const folder of [dataDir, temporary]) rmSync(folder, { recursive: true });
});

async function opened(running: Promise<RunningStore>) {
  const { service, stop } = await running;
  stops.push(stop);
  return createInProcessClient(store.StoreService, service);
}

const writer = () => opened(startStore({ dataDir, log: silent }));
const reader = (directory = dataDir) => opened(openReadOnly({ dataDir: directory, log: silent }));
type Client = Awaited<ReturnType<typeof writer>>;

async function tell(client: Client, story: Story): Promise<void> {
  for (const append of [story.created(), ...story.turn()]) await client.append(append);
}

/** How many events there are, that all verifies, and that view and log agree. */
async function seen(client: Client): Promise<number> {
  const { streams } = await client.listStreams({});
  let events = 0;
  for (const stream of streams) {
    const answer = await client.verifyStream({ stream });
    expect(answer.problems).toEqual([]);
    events += answer.events;
  }
  expect((await client.verifySearch({})).problems).toEqual([]);
  return events;
}

/** By another process: one that opens and closes the file of its own lock would lose it. */
function copyFolder(copy: string): void {
  execFileSync('cp', ['-a', dataDir, copy]);
}

/** Everything that can be told of the files of a directory from outside. */
function traces(directory: string) {
  return readdirSync(directory).map((name) => {
    const { mtimeMs, mode } = statSync(join(directory, name));
    return { name, mtimeMs, mode, bytes: readFileSync(join(directory, name)).toString('base64') };
  });
}

test('while a process writes the directory, a reader sees it as it was at one moment, and does not disturb', async () => {
  const [first, second] = [new Story(), new Story()];
  const running = await writer();
  await tell(running, first);
  const early = await reader();
  const events = await seen(early);
  for (const append of first.turn()) await running.append(append);
  await tell(running, second);
  expect(await seen(early)).toBe(events);
  const { view } = await early.getConversation({ conversationId: first.id });
  const { headRevision } = await early.readStream({ stream: first.stream, fromRevision: 1 });
  expect([headRevision, view?.head?.revision]).toEqual([events, events]);
  expect(await seen(await reader())).toBe(await seen(running));
  // It stops in peace, and starts again, while readers are there.
  const [stopWriter] = stops.splice(0, 1);
  await stopWriter?.();
  expect(await seen(early)).toBe(events);
  const again = await writer();
  await tell(again, new Story());
  expect(await seen(early)).toBe(events);
  // Readers that are gone hold nothing back.
  for (const stop of stops.splice(0)) await stop();
  const wal = join(dataDir, 'stopgo.db-wal');
  expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);
});

test('a reader outside of the process sees what is acknowledged', async () => {
  const running = await writer();
  const story = new Story();
  await tell(running, story);
  const program = `
    const { openReadOnly } = await import('@stopgo/store');
    const { createLogger } = await import('@stopgo/runtime');
    const log = createLogger({ level: 'warn', format: 'text', destination: process.stderr });
    const { service, stop } = await openReadOnly({ dataDir: ${JSON.stringify(dataDir)}, log });
    const page = await service.readStream({ stream: ${JSON.stringify(story.stream)}, fromRevision: 1, limit: 0 }, {});
    console.log(page.headRevision);
    await stop();`;
  const args = ['--import', 'tsx', '--conditions=stopgo-source', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: join(import.meta.dirname, '../../../cli') });
  expect(String(stderr)).toBe('');
  const { headRevision } = await running.readStream({ stream: story.stream, fromRevision: 1 });
  expect(Number(stdout)).toBe(headRevision);
});

test('what separate services use is not read: their log is elsewhere', async () => {
  await tell(await writer(), new Story());
  for (const stop of stops.splice(0)) await stop();
  const lock = lockForServices(dataDir);
  await expect(reader()).rejects.toThrow(/is in use by separate services, whose log is not in it$/);
  expect(() => lockForWriting(dataDir)).toThrow(/in use by another process/);
  lock.unlock();
  expect(await seen(await reader())).toBeGreaterThan(0);
});

const copies: readonly (readonly [string, (copy: string) => Promise<void>])[] = [
  [
    'after a clean stop',
    async (copy) => {
      await tell(await writer(), new Story());
      for (const stop of stops.splice(0)) await stop();
      copyFolder(copy);
    },
  ],
  [
    'as a snapshot of the file system took it from a running process',
    async (copy) => {
      await tell(await writer(), new Story());
      copyFolder(copy);
      expect(statSync(join(copy, 'stopgo.db-wal')).size).toBeGreaterThan(0);
      rmSync(join(copy, 'stopgo.db-shm'));
    },
  ],
  [
    'of the log alone, by SQLite itself',
    async (copy) => {
      await tell(await writer(), new Story());
      mkdirSync(copy);
      const file = openDatabase(join(dataDir, 'stopgo.db'), 'read');
      file.exec(`VACUUM INTO '${copy}/stopgo.db'`);
      file.close();
    },
  ],
];

test.each(copies)('a copy %s is read as it is, and nothing is left behind', async (_, make) => {
  const copy = `${dataDir}-copy`;
  await make(copy);
  const before = traces(copy);
  const client = await reader(copy);
  expect(await seen(client)).toBe(await seen(await reader()));
  expect(readdirSync(temporary)).toEqual([]);
  for (const stop of stops.splice(0)) await stop();
  expect(traces(copy)).toEqual(before);
  rmSync(copy, { recursive: true });
});

test('views of another version are made anew in a copy, which goes with the reader', async () => {
  const story = new Story();
  await tell(await writer(), story);
  for (const stop of stops.splice(0)) await stop();
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  file.exec("UPDATE views_meta SET version = 'older'");
  file.close();
  const before = traces(dataDir);
  const client = await reader();
  expect((await client.getConversation({ conversationId: story.id })).view?.head?.id).toBe(story.id);
  expect(await seen(client)).toBeGreaterThan(0);
  await expect(client.append(story.asked('more'))).rejects.toMatchObject({ kind: 'failed_precondition' });
  expect(readdirSync(temporary)).toHaveLength(1);
  for (const stop of stops.splice(0)) await stop();
  expect(readdirSync(temporary)).toEqual([]);
  expect(traces(dataDir)).toEqual(before);
});

test('views that were half made when the process ended are made in a copy, also where nobody writes', async () => {
  const story = new Story();
  await tell(await writer(), story);
  for (const stop of stops.splice(0)) await stop();
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  resetViews(file);
  file.close();
  const before = traces(dataDir);
  const client = await reader();
  expect((await client.getConversation({ conversationId: story.id })).view?.head?.id).toBe(story.id);
  expect((await client.listConversations({})).summary?.total).toBe(1);
  expect(await seen(client)).toBeGreaterThan(0);
  for (const stop of stops.splice(0)) await stop();
  expect(traces(dataDir)).toEqual(before);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a copy whose views are made anew keeps the blobs of the directory, also those that nobody needs any more', async () => {
  const running = await writer();
  const story = await underWay(running);
  const holder = { conversationId: story.id, runId: story.runId, callId: 'root#1.0' };
  await running.putBlob({ bytes: new Uint8Array([1, 2, 3]), holder });
  await running.append(story.finished('no image'));
  await stops.pop()?.();
  const database = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  database.exec("UPDATE views_meta SET version = 'another'");
  database.close();
  const copy = await reader();
  // The process that writes removes it, and has begun to look later: a sweep of the copy would have been.
  const again = await writer();
  await expect.poll(async () => (await again.verifyBlobs({})).blobs).toBe(0);
  expect(await copy.verifyBlobs({})).toMatchObject({ blobs: 1, problems: [] });
});
