import { DomainError, type ErrorKind } from '@stopgo/core';
import { expect, test } from 'vitest';
import { blobsReadMs } from '../../src/bounds.ts';
import { readBlobs } from '../../src/driver/model/read-blobs.ts';
import { driverWith } from './one-driver.ts';

const { signal } = new AbortController();
/** Longer than the longest pause between two tries, in milliseconds. */
const pauseMs = 1_000;

/** Reads of `a` and `b` from a store that is out of reach so many times, each time in its own way. */
function reading(failures: ErrorKind[], by = signal) {
  const asked: string[] = [];
  const blobs = {
    read: async (_: string, digest: string) => {
      asked.push(digest);
      const kind = failures.shift();
      if (kind !== undefined) throw new DomainError(kind, 'away');
      return Buffer.from(digest);
    },
  };
  const { clock, ports } = driverWith({}, { blobs });
  const begin = (reason: string) =>
    ports.waits.begin({ conversationId: 'c', runId: 'r', kind: 'model', name: 'm', reason });
  const outcome = readBlobs(ports, 'c', ['a', 'b'], by, begin).then(
    (found) => [...found.keys()],
    (error: unknown) => error,
  );
  return { asked, clock, outcome, waits: () => ports.waits.told().map(({ reason }) => reason) };
}

test('a store that is out of reach is asked again, the run is told so meanwhile, and nothing is left out', async () => {
  const { asked, clock, outcome, waits } = reading(['unavailable', 'deadline_exceeded', 'unavailable']);
  await clock.pass(0);
  expect(waits()).toEqual(['the store does not give its images and documents']);
  for (let tries = 0; tries < 3; tries++) await clock.pass(pauseMs);
  expect(await outcome).toEqual(['a', 'b']);
  expect(asked).toEqual(['a', 'a', 'a', 'a', 'b']);
  expect(waits()).toEqual([]);
  await clock.pass(0);
  expect(clock.sleeping).toBe(0);
});

test('after the limit of all of them the request is to begin anew', async () => {
  const { clock, outcome, waits } = reading(Array.from({ length: 1_000 }, () => 'unavailable'));
  await clock.pass(0);
  await clock.pass(blobsReadMs - 1);
  expect(waits()).toHaveLength(1);
  await clock.pass(1);
  expect(await outcome).toMatchObject({ kind: 'unavailable' });
  expect(waits()).toEqual([]);
});

test('whoever is stopped waits no longer, and is told why', async () => {
  const stop = new AbortController();
  const { clock, outcome, waits } = reading(
    Array.from({ length: 9 }, () => 'unavailable'),
    stop.signal,
  );
  await clock.pass(0);
  const reason = new Error('canceled');
  stop.abort(reason);
  expect(await outcome).toBe(reason);
  expect(waits()).toEqual([]);
});
