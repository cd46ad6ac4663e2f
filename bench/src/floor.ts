// What this machine allows, measured in the same run: no platform can be faster than what it is made of.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { startEcho } from './platform.ts';
import { quantiles } from './quantiles.ts';
import { concurrently, destructive, openClients } from './turn.ts';

/** The bytes of one append of a stop-and-go turn, about: 1 to 3 events, and the rows of the views. */
export const appendBytes = 2_500;
/** Appends that share a commit in the grouped measurement. */
export const appendsPerGroup = 50;
const connections = 50;

/** Of the log: insert and commit, safely on disk. Of HTTP: a request with a message, its echo back. */
export type Floor = {
  readonly appendP50Ms: number;
  readonly appendP95Ms: number;
  readonly groupedAppendsPerSecond: number;
  readonly httpP50Ms: number;
  readonly httpP95Ms: number;
  readonly httpPerSecondAt50: number;
};

/** How often each is done. */
export type FloorSizes = { readonly floorAppends: number; readonly floorRequests: number };

export async function measureFloor(sizes: FloorSizes): Promise<Floor> {
  return { ...measureAppends(sizes), ...(await measureHttp(sizes)) };
}

function measureAppends({ floorAppends }: FloorSizes) {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-'));
  const database = new Database(join(folder, 'floor.db'));
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
    database.exec('CREATE TABLE events (position INTEGER PRIMARY KEY, envelope BLOB NOT NULL)');
    const insert = database.prepare('INSERT INTO events (envelope) VALUES (?)');
    const bytes = Buffer.alloc(appendBytes, 7);
    const commit = (appends: number): number => {
      const began = performance.now();
      database.exec('BEGIN IMMEDIATE');
      for (let done = 0; done < appends; done += 1) insert.run([bytes]);
      database.exec('COMMIT');
      return performance.now() - began;
    };
    commit(1);
    const single = quantiles(Array.from({ length: floorAppends }, () => commit(1)));
    const grouped = quantiles(Array.from({ length: Math.ceil(floorAppends / 10) }, () => commit(appendsPerGroup)));
    return {
      appendP50Ms: single.p50,
      appendP95Ms: single.p95,
      groupedAppendsPerSecond: (1_000 * appendsPerGroup) / grouped.p50,
    };
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureHttp({ floorRequests }: FloorSizes) {
  const echo = await startEcho('http');
  const clients = await openClients(echo.address, connections);
  try {
    const body = { message: destructive('0') };
    const work = Array.from({ length: floorRequests }, (_, index) => index);
    const first = clients.slice(0, 1);
    const run = async (some: typeof clients): Promise<{ times: number[]; seconds: number }> => {
      const times: number[] = [];
      const began = performance.now();
      await concurrently(some, work, async (client) => {
        times.push((await client.post('/', body)).ms);
      });
      return { times, seconds: (performance.now() - began) / 1_000 };
    };
    await run(clients);
    const single = quantiles((await run(first)).times);
    const { seconds } = await run(clients);
    return { httpP50Ms: single.p50, httpP95Ms: single.p95, httpPerSecondAt50: work.length / seconds };
  } finally {
    for (const client of clients) client.close();
    await echo.stop();
  }
}
