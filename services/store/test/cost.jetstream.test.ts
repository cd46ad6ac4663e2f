import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { Fleet, never, tell } from './jetstream-fleet.ts';
import { describeWithNats } from './nats-server.ts';
import { Story } from './story.ts';

/** Counts the statements that are run, without those that a transaction needs however much it takes in. */
function counting(counts: Map<string, number>) {
  const perTransaction = /^(UPDATE views_meta|INSERT INTO log_end)/;
  const counted = (sql: string) => {
    const name = sql.replaceAll(/\s+/g, ' ').slice(0, 50);
    if (!perTransaction.test(sql)) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const of =
    <P extends readonly unknown[], T>(sql: string, statement: (...parameters: P) => T) =>
    (...parameters: P) => {
      counted(sql);
      return statement(...parameters);
    };
  return (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run: (sql) => of(sql, database.run(sql)),
    one: (sql, read) => of(sql, database.one(sql, read)),
    all: (sql, read) => of(sql, database.all(sql, read)),
  });
}

describeWithNats('what an append costs over JetStream', () => {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await Fleet.start();
  });
  afterEach(() => fleet.remove());

  test('a turn of six appends: their rows, a look for each key, and a message each', async () => {
    const counts = new Map<string, number>();
    const replica = await fleet.open({ wrap: counting(counts) });
    const story = new Story();
    await tell(replica.events, story, 2);
    await replica.views.caughtUp(never);
    counts.clear();
    const turns = 20;
    const { outMsgs } = replica.link.connection.stats();
    for (let turn = 0; turn < turns; turn++)
      for (const one of story.turn())
        await replica.events.append({ ...one, stream: parseStreamName(one.stream), requestDigest: '' });
    const sent = replica.link.connection.stats().outMsgs - outMsgs;
    await replica.views.caughtUp(never);
    const perTurn = [...counts.values()].reduce((sum, one) => sum + one, 0) / turns;
    // Six appends and keys; five messages and their words; an approval made, found and changed. The conversation once in many.
    expect(perTurn, JSON.stringify([...counts], null, 1)).toBeLessThanOrEqual(27);
    // Beside the appends the feed is asked to go on, once for many.
    expect(sent).toBeLessThanOrEqual(turns * 6 + turns / 2);
  });

  test('many turns share a transaction', async () => {
    const commits: number[] = [];
    const replica = await fleet.open({ observe: (one) => void (one.kind === 'commit' && commits.push(one.appends)) });
    const appends = 8 * (1 + 6 * 4);
    await Promise.all(Array.from({ length: 8 }, () => tell(replica.events, new Story(), 4)));
    await replica.views.caughtUp(never);
    await replica.end();
    expect(commits.reduce((sum, one) => sum + one, 0)).toBe(appends);
    expect(commits.length).toBeLessThan(appends / 8);
  });
});
