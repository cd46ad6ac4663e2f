import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningStore, startStore } from '../src/index.ts';
import { keepingLog } from './log-lines.ts';
import { freshDirectory } from './sqlite-log.ts';
import { Story } from './story.ts';

/** The file of a log that goes away under the process that writes it. */
let folder: string;
let dataDir: string;
let running: RunningStore;
let client: Client<typeof store.StoreService>;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  folder = freshDirectory();
  dataDir = join(folder, 'data');
  kept = keepingLog();
  running = await startStore({ dataDir, log: kept.log });
  client = createInProcessClient(store.StoreService, running.service);
});
afterEach(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

const append = () => client.append(new Story().created());
const gone = { kind: 'unavailable', details: { reason: 'file_gone', recorded: 'nothing' } };

test.each<[string, () => void]>([
  ['deleted', () => rmSync(dataDir, { recursive: true })],
  ['moved away', () => renameSync(dataDir, join(folder, 'elsewhere'))],
  [
    'replaced by a copy',
    () => {
      cpSync(dataDir, join(folder, 'copy'), { recursive: true });
      renameSync(dataDir, join(folder, 'elsewhere'));
      renameSync(join(folder, 'copy'), dataDir);
    },
  ],
])('that is %s takes nothing more, and says so', async (_, happens) => {
  expect((await append()).outcome.case).toBe('appended');
  happens();
  await expect(append()).rejects.toMatchObject(gone);
  await expect(Promise.all([append(), append()])).rejects.toMatchObject(gone);
  expect(await client.getCondition({})).toMatchObject({
    reason: 'file_gone',
    problem: expect.stringMatching(/^the file of the event log is not where it was: nothing is recorded; /),
  });
  expect(kept.lines.filter((line) => line.includes('is not where it was'))).toHaveLength(1);
});

test('that is put back is written again', async () => {
  renameSync(dataDir, join(folder, 'elsewhere'));
  await expect(append()).rejects.toMatchObject(gone);
  renameSync(join(folder, 'elsewhere'), dataDir);
  expect((await append()).outcome.case).toBe('appended');
});
