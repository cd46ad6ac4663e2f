import { randomUUID } from 'node:crypto';
import { chainHash, chainStart, decodeRecorded, fact, parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventLog, RecordedEvent, StreamAppend } from '../src/event-log.ts';
import { eventsOf, Story } from './story.ts';

/** A log under test, whose data outlives its process. */
export type LogUnderTest = {
  log(): EventLog;
  /** Stops the log and opens it again on the same data. */
  reopen(): Promise<void>;
  /** Frees everything. */
  close(): Promise<void>;
};

const stream = parseStreamName('tool-contract');

const definition = (text: string) => fact('toolDefined', { pin: 'pin', definitionJson: text });

function append(expectedRevision: number, texts: readonly string[], more: Partial<StreamAppend> = {}): StreamAppend {
  const events = eventsOf(...texts.map(definition));
  return { stream, expectedRevision, events, idempotencyKey: randomUUID(), requestDigest: '', ...more };
}

const textOf = (event: RecordedEvent): string => {
  const { fact: one } = decodeRecorded(event);
  return one.case === 'toolDefined' ? one.value.definitionJson : '';
};

async function textsIn(log: EventLog, of = stream): Promise<string[]> {
  const { events } = await log.read(of, 1, 1_000);
  return events.map(({ event }) => textOf(event));
}

async function take<T>(all: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  if (count > 0)
    for await (const one of all) {
      taken.push(one);
      if (taken.length === count) break;
    }
  return taken;
}

/** What every event log must do, whatever it is made of. */
export function eventLogContract(name: string, open: () => Promise<LogUnderTest>): void {
  describe(`event log: ${name}`, () => {
    let under: LogUnderTest;
    let log: EventLog;
    const leave = new AbortController();
    const never = leave.signal;
    beforeEach(async () => {
      under = await open();
      log = under.log();
    });
    afterEach(() => under.close());

    test('an append is recorded whole and in order, with revisions from 1 and growing positions', async () => {
      const first = await log.append(append(0, ['a', 'b', 'c']));
      expect(first).toMatchObject({ kind: 'appended', revision: 3 });
      const { events, headRevision } = await log.read(stream, 1, 1_000);
      expect(headRevision).toBe(3);
      expect(events.map(({ revision, event }) => [revision, textOf(event)])).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]);
      const positions = events.map(({ event }) => Number(event.position));
      expect(positions).toEqual([...positions].sort((one, other) => one - other));
      expect(new Set(positions).size).toBe(3);
      expect(first).toMatchObject({ position: positions[2] });
      expect(await log.lastPosition()).toBe(positions[2]);
    });

    test('each event knows its place, and its hash follows from its bytes and the hash before', async () => {
      await log.append(append(0, ['a', 'b']));
      await log.append(append(2, ['c']));
      let hash = chainStart;
      for (const { revision, event } of (await log.read(stream, 1, 1_000)).events) {
        expect(decodeRecorded(event)).toMatchObject({ stream, revision });
        hash = chainHash(hash, event.envelope);
        expect(Buffer.from(event.hash)).toEqual(Buffer.from(hash));
      }
      expect(await log.head(stream)).toMatchObject({ revision: 3, hash: expect.anything() });
      expect(Buffer.from((await log.head(stream))?.hash ?? [])).toEqual(Buffer.from(hash));
    });

    test('an append at a revision that is not the head writes nothing and gives the events unseen', async () => {
      await log.append(append(0, ['a', 'b', 'c']));
      const stale = await log.append(append(1, ['x']));
      expect(stale).toMatchObject({ kind: 'conflict', revision: 3 });
      expect(stale.kind === 'conflict' && stale.unseen.map(textOf)).toEqual(['b', 'c']);
      expect(await log.append(append(7, ['x']))).toEqual({ kind: 'conflict', revision: 3, unseen: [] });
      expect(await log.append(append(0, ['x']))).toMatchObject({ kind: 'conflict', revision: 3 });
      expect(await textsIn(log)).toEqual(['a', 'b', 'c']);
    });

    test('of many appends at the same revision exactly one is recorded, and the others are shown it', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => log.append(append(0, [`writer ${n}`]))));
      const won = outcomes.flatMap((outcome, n) => (outcome.kind === 'appended' ? [n] : []));
      expect(won).toHaveLength(1);
      expect(await textsIn(log)).toEqual([`writer ${won[0]}`]);
      for (const outcome of outcomes)
        if (outcome.kind === 'conflict') expect(outcome.unseen.map(textOf)).toEqual([`writer ${won[0]}`]);
    });

    test('appends to one stream that are sent without waiting build on each other', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => log.append(append(n, [`${n}`]))));
      expect(outcomes.map((outcome) => outcome.kind === 'appended' && outcome.revision)).toEqual(
        Array.from({ length: 20 }, (_, n) => n + 1),
      );
    });

    test('a repeat by key is a duplicate, after other appends and whatever revision it expects', async () => {
      const once = append(0, ['a', 'b'], { requestDigest: 'd1' });
      const first = await log.append(once);
      await log.append(append(2, ['c']));
      const position = first.kind === 'appended' ? first.position : 0;
      const duplicate = { kind: 'duplicate', revision: 2, position, requestDigest: 'd1' };
      expect(await log.append(once)).toEqual(duplicate);
      expect(await log.append({ ...once, expectedRevision: 3, requestDigest: 'd2' })).toEqual(duplicate);
      await under.reopen();
      log = under.log();
      expect(await log.append(once)).toEqual(duplicate);
      expect(await textsIn(log)).toEqual(['a', 'b', 'c']);
    });

    test('the same append sent many times at once is recorded once', async () => {
      const once = append(0, ['a']);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => log.append(once)));
      expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(['appended', ...Array(9).fill('duplicate')]);
      expect(await textsIn(log)).toEqual(['a']);
    });

    test('the same key in another stream is another append', async () => {
      const one = append(0, ['a']);
      const other = { ...one, stream: parseStreamName('tool-other') };
      expect((await log.append(one)).kind).toBe('appended');
      expect((await log.append(other)).kind).toBe('appended');
    });

    test('an append with an event that cannot be folded is refused whole and harms no other', async () => {
      const [story, healthy] = [new Story(), new Story()];
      const created = story.created();
      const [good] = created.events;
      const bad = { ...created, events: [good!, { ...good!, payload: new Uint8Array([255]) }] };
      const rest = { requestDigest: '' };
      const [refused, taken] = await Promise.allSettled([
        log.append({ ...bad, ...rest, stream: parseStreamName(bad.stream) }),
        log.append({ ...healthy.created(), ...rest, stream: parseStreamName(healthy.stream) }),
      ]);
      expect(refused).toMatchObject({ status: 'rejected', reason: { kind: 'invalid_argument' } });
      expect(taken).toMatchObject({ status: 'fulfilled', value: { kind: 'appended' } });
      expect((await log.read(parseStreamName(story.stream), 1, 10)).headRevision).toBe(0);
    });

    test('what was acknowledged is there after a restart, and goes on from there', async () => {
      await log.append(append(0, ['a']));
      await under.reopen();
      log = under.log();
      expect(await log.append(append(1, ['b']))).toMatchObject({ kind: 'appended', revision: 2 });
      expect(await textsIn(log)).toEqual(['a', 'b']);
    });

    test('a stream is read in pages', async () => {
      await log.append(append(0, ['a', 'b', 'c', 'd', 'e']));
      const revisionsFrom = async (from: number, limit: number) =>
        (await log.read(stream, from, limit)).events.map(({ revision }) => revision);
      expect(await revisionsFrom(0, 2)).toEqual([1, 2]);
      expect(await revisionsFrom(3, 2)).toEqual([3, 4]);
      expect(await revisionsFrom(5, 2)).toEqual([5]);
      expect(await revisionsFrom(6, 2)).toEqual([]);
      expect(await log.read(parseStreamName('tool-nowhere'), 1, 2)).toEqual({ events: [], headRevision: 0 });
    });

    test('a page ends at about 1 MiB, and holds at least one event', async () => {
      const large = 'x'.repeat(400 * 1024);
      for (let revision = 0; revision < 4; revision++) await log.append(append(revision, [large]));
      const { events, headRevision } = await log.read(stream, 1, 1_000);
      expect([events.length, headRevision]).toEqual([2, 4]);
    });

    test('keys are looked up and listed', async () => {
      await log.append(append(0, ['a', 'b'], { idempotencyKey: 'k1', requestDigest: 'd' }));
      await log.append(append(2, ['c'], { idempotencyKey: 'k2' }));
      const k1 = { key: 'k1', requestDigest: 'd', firstRevision: 1, lastRevision: 2 };
      const k2 = { key: 'k2', requestDigest: '', firstRevision: 3, lastRevision: 3 };
      expect(await log.keys(stream, ['k2', 'unknown', 'k1'])).toEqual([k2, k1]);
      expect(await log.allKeys(stream, '', 1)).toEqual([k1]);
      expect(await log.allKeys(stream, 'k1', 10)).toEqual([k2]);
    });

    test('streams are listed by prefix in order of name, in pages', async () => {
      for (const name of ['tool-b', 'agent-x', 'tool-a', 'toolset-a'])
        await log.append(append(0, ['a'], { stream: parseStreamName(name) }));
      expect(await log.streams('tool-', '', 10)).toEqual(['tool-a', 'tool-b']);
      expect(await log.streams('', '', 3)).toEqual(['agent-x', 'tool-a', 'tool-b']);
      expect(await log.streams('', 'tool-b', 3)).toEqual(['toolset-a']);
    });

    test('a follower gets what there is and then what comes, without gap or repeat', async () => {
      await log.append(append(0, ['0', '1', '2']));
      const followers = [1, 2, 4, 60].map((from) => take(log.follow(stream, from, never), 101 - from));
      for (let revision = 3; revision < 100; revision++) await log.append(append(revision, [`${revision}`]));
      const all = Array.from({ length: 100 }, (_, n) => `${n}`);
      const got = await Promise.all(followers);
      expect(got.map((events) => events.map(textOf))).toEqual([1, 2, 4, 60].map((from) => all.slice(from - 1)));
    });

    test('a follower may come before the stream, and may read slowly', async () => {
      const events = log.follow(stream, 1, never)[Symbol.asyncIterator]();
      const first = events.next();
      for (let revision = 0; revision < 300; revision++) await log.append(append(revision, [`${revision}`]));
      const got = [await first];
      while (got.length < 300) {
        await new Promise((resolve) => setImmediate(resolve));
        got.push(await events.next());
      }
      await events.return?.();
      expect(got.map((one) => textOf(one.value))).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
    });

    test('a subscriber gets all matching streams in the order of positions, without gap or repeat', async () => {
      const writers = ['tool-a', 'tool-b', 'agent-c'].map(parseStreamName);
      const write = async (from: number, to: number) => {
        for (let revision = from; revision < to; revision++)
          await Promise.all(
            writers.map((one) => log.append(append(revision, [`${one} ${revision}`], { stream: one }))),
          );
      };
      await write(0, 20);
      const all = take(log.subscribe(0, '', never), 120);
      const tools = take(log.subscribe(0, 'tool-', never), 80);
      await write(20, 40);
      const positions = (await all).map((event) => Number(event.position));
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
      const expected = ['tool-a', 'tool-b'].flatMap((one) => Array.from({ length: 40 }, (_, n) => `${one} ${n}`));
      expect((await tools).map(textOf).sort()).toEqual(expected.sort());
      const rest = await take(log.subscribe(positions[99] ?? 0, '', never), 20);
      expect(rest.map((event) => Number(event.position))).toEqual(positions.slice(100));
    });

    test('a stream ends with its signal, and with unavailable when the log closes', async () => {
      const leaving = new AbortController();
      const left = take(log.follow(stream, 1, leaving.signal), 1);
      leaving.abort();
      expect(await left).toEqual([]);
      const cut = [take(log.follow(stream, 1, never), 1), take(log.subscribe(0, '', never), 1)];
      const ends = Promise.allSettled(cut);
      await under.reopen();
      for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    });
  });
}
