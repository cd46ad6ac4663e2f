import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { store } from '@stopgo/proto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deltaBytesPerWatcherMax, deltaCharactersMax, deltasPerWatcherMax } from '../src/bounds.ts';
import type { DeltaChannel } from '../src/delta-channel.ts';
import { until } from './until.ts';

/** A channel as two replicas of the store have it; of a store without replicas the same one twice. */
export type ChannelUnderTest = {
  readonly one: DeltaChannel;
  readonly other: DeltaChannel;
  /** Ends the channels, as a store that stops does. */
  stop(): void;
  close(): Promise<void>;
};

export const delta = (conversationId: string, text: string, offset = 0) =>
  create(store.DeltaSchema, { ...{ conversationId, text, offset }, runId: 'run', stepId: 'root', turn: 1, attempt: 1 });

/** Watches a conversation: what it was given so far, and its end. */
export function watching(channel: DeltaChannel, conversationId: string) {
  const given: string[] = [];
  const leave = new AbortController();
  const ended = (async () => {
    for await (const { text } of channel.watch(conversationId, leave.signal)) given.push(text);
  })();
  ended.catch(() => undefined);
  return { given, leave: () => leave.abort(), ended };
}

/** What every channel must do, whatever lies between its replicas. */
export function deltaChannelContract(
  name: string,
  describeIt: (name: string, tests: () => void) => void,
  open: () => Promise<ChannelUnderTest>,
): void {
  describeIt(`delta channel: ${name}`, () => {
    let under: ChannelUnderTest;
    let id: string;
    beforeEach(async () => {
      under = await open();
      id = randomUUID();
    });
    afterEach(() => under.close());

    const heardOf = (channel: DeltaChannel, watchers: number) =>
      until(`${watchers} watchers`, () => channel.watchers(id) === watchers);

    test('each watcher, at either replica, is given each piece once and in order', async () => {
      const { one, other } = under;
      const watchers = [watching(one, id), watching(one, id), watching(other, id)];
      const elsewhere = watching(other, randomUUID());
      await Promise.all([heardOf(one, 3), heardOf(other, 3)]);
      const pieces = Array.from({ length: 100 }, (_, index) => `${index} `);
      for (const [index, text] of pieces.entries())
        expect((index < 50 ? one : other).publish(delta(id, text, index))).toBe(3);
      for (const { given } of watchers) await until('all pieces', () => given.length >= pieces.length);
      // Between the replicas the order is that of each publisher.
      for (const { given } of watchers)
        for (const half of [pieces.slice(0, 50), pieces.slice(50)])
          expect(given.filter((text) => half.includes(text))).toEqual(half);
      expect(watchers.map(({ given }) => given.length)).toEqual([100, 100, 100]);
      expect(elsewhere.given).toEqual([]);
    });

    test('nobody is counted who has not begun or has left', async () => {
      const { one, other } = under;
      expect(one.publish(delta(id, 'x'))).toBe(0);
      const [first, second] = [watching(one, id), watching(other, id)];
      await Promise.all([heardOf(one, 2), heardOf(other, 2)]);
      second.leave();
      await second.ended;
      await Promise.all([heardOf(one, 1), heardOf(other, 1)]);
      first.leave();
      await first.ended;
      await Promise.all([heardOf(one, 0), heardOf(other, 0)]);
      expect(one.publish(delta(id, 'x'))).toBe(0);
    });

    test('a slow watcher loses pieces and holds up nobody', async () => {
      const { one, other } = under;
      const iterator = other.watch(id, new AbortController().signal)[Symbol.asyncIterator]();
      const first = iterator.next();
      const fast = watching(other, id);
      await heardOf(one, 2);
      const number = 2 * deltasPerWatcherMax;
      for (let index = 0; index < number; index++) {
        one.publish(delta(id, `${index}`));
        if (index % 64 === 63) await until('the fast one', () => fast.given.length > index);
      }
      const slow = [(await first).value.text];
      while (slow.length < deltasPerWatcherMax) slow.push((await iterator.next()).value.text);
      expect(slow).toEqual(Array.from({ length: deltasPerWatcherMax }, (_, index) => `${index}`));
      one.publish(delta(id, 'after the gap'));
      let next = (await iterator.next()).value.text;
      // One may be between being taken and being asked for.
      if (next === `${deltasPerWatcherMax}`) next = (await iterator.next()).value.text;
      expect(next).toBe('after the gap');
    });

    test('bytes are bounded like pieces', async () => {
      const { one } = under;
      const iterator = one.watch(id, new AbortController().signal)[Symbol.asyncIterator]();
      const first = iterator.next();
      one.publish(delta(id, 'x'));
      await first;
      const text = 'y'.repeat(deltaCharactersMax);
      for (let index = 0; index < 10; index++) one.publish(delta(id, text, index));
      const offsets: number[] = [];
      const fit = Math.floor(deltaBytesPerWatcherMax / (deltaCharactersMax + 'runroot'.length));
      while (offsets.length < fit) offsets.push((await iterator.next()).value.offset);
      one.publish(delta(id, 'z', 99));
      expect((await iterator.next()).value.offset).toBe(99);
    });

    test('what is no delta is refused', () => {
      const { one } = under;
      expect(() => one.publish(undefined)).toThrow(expect.objectContaining({ kind: 'invalid_argument' }));
      for (const wrong of ['', 'x', '*', '>', `${id}.x`])
        expect(() => one.publish(delta(wrong, 'x'))).toThrow(expect.objectContaining({ kind: 'invalid_argument' }));
      const long = delta(id, 'x'.repeat(deltaCharactersMax + 1));
      expect(() => one.publish(long)).toThrow(expect.objectContaining({ kind: 'invalid_argument' }));
    });

    test('the end of the store ends each watch', async () => {
      const { one, other } = under;
      const watchers = [watching(one, id), watching(other, id)];
      await heardOf(one, 2);
      under.stop();
      for (const { ended } of watchers) await expect(ended).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(watching(one, id).ended).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });
}

/** For a channel that needs nothing. */
export const always = (name: string, tests: () => void): void => void describe(name, tests);
