import type { TextTest } from '@stopgo/tool-server/pattern';
import type Database from 'libsql';
import type { Resource } from './resource.ts';

/** What the store will do at most for one call. */
export interface StoreLimits {
  /** Resources kept in one database. */
  readonly resourcesMax: number;
  /** Resources, or removed ids, in one answer. */
  readonly resultsMax: number;
  /** Time for testing the stored names against one pattern, in milliseconds; other calls wait meanwhile. */
  readonly matchTimeMaxMs: number;
}

export const storeLimits: StoreLimits = { resourcesMax: 100_000, resultsMax: 1_000, matchTimeMaxMs: 1_000 };

/** Rows read at once while names are tested, so that memory does not grow with the table. */
const scanPageRows = 500;

export interface StoreClocks {
  readonly unixNanoseconds: NanosecondClock;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
}

export type AddOutcome = { readonly kind: 'added'; readonly resource: Resource } | { readonly kind: 'full' };

export type ListOutcome =
  /** `count` is how many match; `resources` holds the first of them by name, at most `resultsMax`. */
  | { readonly kind: 'listed'; readonly resources: readonly Resource[]; readonly count: number }
  | { readonly kind: 'too_slow' };

export type RemoveOutcome =
  /** `count` is how many are gone; `ids` names the first of them, at most `resultsMax`. */
  | { readonly kind: 'removed'; readonly ids: readonly string[]; readonly count: number }
  /** The pattern took too long; nothing was removed. */
  | { readonly kind: 'too_slow' };

/** Resources in one database file. Every method is one transaction, durable when it returns; database errors are thrown. */
export interface ResourceStore {
  /** Stores a new resource under a new id; an equal name may exist already. */
  add(name: string, value: number): AddOutcome;
  /** The resources whose name passes the test, or all, ordered by name and then id. */
  list(test: TextTest | undefined): ListOutcome;
  /** Removes the resource with this id (none is fine) and all whose name passes the test: all of it or, when too slow, nothing. */
  remove(id: string | undefined, test: TextTest | undefined): RemoveOutcome;
  close(): void;
}

export function createResourceStore(
  database: Database.Database,
  clocks: StoreClocks,
  limits: StoreLimits = storeLimits,
): ResourceStore {
  const nextMoment = increasingMoments(clocks.unixNanoseconds);
  const count = database.prepare('SELECT count(*) AS n FROM resources');
  const insert = database.prepare(
    'INSERT INTO resources (id, name, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const first = database.prepare('SELECT * FROM resources ORDER BY name, id LIMIT ?');
  const page = database.prepare('SELECT * FROM resources WHERE (name, id) > (?, ?) ORDER BY name, id LIMIT ?');
  const remove = database.prepare('DELETE FROM resources WHERE id = ?');

  const total = (): number => (count.get() as { readonly n: number }).n;

  /** Calls `found` for every resource whose name passes, in order; false when the time ran out before the end. */
  function scan(test: TextTest, found: (resource: Resource) => void): boolean {
    const deadline = clocks.monotonicMs() + limits.matchTimeMaxMs;
    let rows = first.all(scanPageRows) as Resource[];
    while (true) {
      for (const row of rows) {
        if (test(row.name)) found(row);
        if (clocks.monotonicMs() > deadline) return false;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < scanPageRows) return true;
      rows = page.all(last.name, last.id, scanPageRows) as Resource[];
    }
  }

  function listMatching(test: TextTest): ListOutcome {
    const resources: Resource[] = [];
    let matches = 0;
    const complete = scan(test, (resource) => {
      matches += 1;
      if (resources.length < limits.resultsMax) resources.push(resource);
    });
    return complete ? { kind: 'listed', resources, count: matches } : { kind: 'too_slow' };
  }

  const add = database.transaction((name: string, value: number): AddOutcome => {
    if (total() >= limits.resourcesMax) return { kind: 'full' };
    // Another process on the same file may have taken the very same nanosecond: then the next one is free.
    while (true) {
      const moment = nextMoment();
      const at = rfc3339(moment);
      const resource: Resource = { id: String(moment), name, value, created_at: at, updated_at: at };
      if (insert.run(resource.id, name, value, at, at).changes === 1) return { kind: 'added', resource };
    }
  });

  const list = database.transaction((test: TextTest | undefined): ListOutcome => {
    if (test !== undefined) return listMatching(test);
    return { kind: 'listed', resources: first.all(limits.resultsMax) as Resource[], count: total() };
  });

  const removeAll = database.transaction((id: string | undefined, test: TextTest | undefined): RemoveOutcome => {
    const chosen = new Set<string>();
    if (id !== undefined) chosen.add(id);
    if (test !== undefined && !scan(test, (resource) => chosen.add(resource.id))) return { kind: 'too_slow' };
    const ids: string[] = [];
    let removed = 0;
    for (const each of chosen) {
      if (remove.run(each).changes === 0) continue;
      removed += 1;
      if (ids.length < limits.resultsMax) ids.push(each);
    }
    return { kind: 'removed', ids, count: removed };
  });

  return {
    add: (name, value) => add.immediate(name, value),
    list: (test) => list.deferred(test),
    remove: (id, test) => removeAll.immediate(id, test),
    close: () => {
      database.close();
    },
  };
}

/** The current Unix time in nanoseconds. */
type NanosecondClock = () => bigint;

/**
 * Gives the moment of each new resource in Unix nanoseconds, which is also its id. Every moment is later than the one
 * before, so two resources made in the same tick of the clock, or after the clock went back, still differ.
 */
function increasingMoments(clock: NanosecondClock): () => bigint {
  let last = 0n;
  return () => {
    const now = clock();
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** Unix nanoseconds as RFC 3339 in UTC, to the millisecond. */
function rfc3339(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}
