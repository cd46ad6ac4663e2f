import { unavailable } from '@stopgo/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { DiskCondition } from '../src/disk-condition.ts';
import { keepingLog } from './log-lines.ts';

const minute = 60_000;
const failure = (reason: 'disk_full' | 'disk_fails', code: string) =>
  unavailable('no', { reason }, { cause: Object.assign(new Error('no'), { code }) });
const full = failure('disk_full', 'SQLITE_FULL');

let now: number;
let free: number | Error;
let writes: Error | undefined;
let kept: ReturnType<typeof keepingLog>;
let disk: DiskCondition;

beforeEach(() => {
  [now, free, writes, kept] = [0, 0, undefined, keepingLog()];
  disk = new DiskCondition({
    dataDir: '/data',
    log: kept.log,
    now: () => now,
    write: () => {
      if (writes !== undefined) throw writes;
    },
    freeBytes: () => {
      if (free instanceof Error) throw free;
      return free;
    },
  });
  return () => disk.close();
});

const failAndLook = (at: number) => {
  now = at;
  disk.failed(full, 2);
  disk.look();
};

describe('a full disk', () => {
  test('is told at once and then once a minute, with how many appends it cost', () => {
    for (let at = 0; at < 2 * minute; at += 1_000) failAndLook(at);
    expect(kept.lines).toEqual([
      expect.stringMatching(
        /^error: the disk of the event log is full: .*"dataDir":"\/data","refused":2,"code":"SQLITE_FULL"/,
      ),
      expect.stringMatching(/^error: the disk of the event log is full: .*"refused":122/),
    ]);
  });

  test('is told once a minute while nobody appends anything', () => {
    disk.failed(full, 1);
    for (now = 1_000; now <= 3 * minute; now += 1_000) disk.look();
    expect(kept.lines).toHaveLength(4);
  });

  test('is full until there is room for the largest append, though smaller ones fit before', () => {
    disk.failed(full, 1);
    free = 4 * 1024 * 1024 - 1;
    disk.look();
    expect(disk.problem?.reason).toBe('disk_full');
    free += 1;
    writes = full;
    disk.look();
    expect(disk.problem?.reason).toBe('disk_full');
    writes = undefined;
    now = 7_000;
    disk.look();
    expect([disk.problem, kept.lines.at(-1)]).toEqual([
      undefined,
      'info: the disk of the event log takes what it is handed again {"dataDir":"/data","seconds":7,"refused":1}',
    ]);
  });

  test('is full until there is room for a blob that was refused, in the log of the file and in the file itself', () => {
    disk.failed(full, 1, 12 * 1024 * 1024);
    free = 28 * 1024 * 1024 - 1;
    disk.look();
    expect(disk.problem?.reason).toBe('disk_full');
    free += 1;
    disk.look();
    expect(disk.problem).toBeUndefined();
    disk.failed(full, 1);
    free = 4 * 1024 * 1024;
    disk.look();
    expect(disk.problem).toBeUndefined();
  });

  test('is asked for by a write where nobody can tell how much is free', () => {
    free = new Error('no statfs');
    disk.failed(full, 1);
    disk.look();
    expect(disk.problem).toBeUndefined();
  });

  test('is told anew, at once, when it is full again', () => {
    disk.failed(full, 1);
    free = Number.MAX_SAFE_INTEGER;
    disk.look();
    disk.failed(full, 1);
    expect(kept.lines.map((line) => line.slice(0, 5))).toEqual(['error', 'info:', 'error']);
  });
});

test('a disk that fails counts as well when something was written, however much is free', () => {
  expect(disk.failed(failure('disk_fails', 'SQLITE_IOERR_WRITE'), 1)).toBe(true);
  expect([disk.problem?.reason, kept.lines.join()]).toEqual([
    'disk_fails',
    expect.stringContaining('"SQLITE_IOERR_WRITE"'),
  ]);
  disk.look();
  expect(disk.problem).toBeUndefined();
});

test('what is not the fault of the disk is left to others', () => {
  expect(disk.failed(unavailable('busy'), 1)).toBe(false);
  expect(disk.failed(new Error('disk_full'), 1)).toBe(false);
  expect([disk.problem, kept.lines]).toEqual([undefined, []]);
});
