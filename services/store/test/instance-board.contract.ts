import { create, views } from '@stopgo/proto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instancesMax, instanceTextCharactersMax, instanceWaitsMax } from '../src/bounds.ts';
import type { InstanceBoard } from '../src/instance-board.ts';

/** A board as two replicas of the store have it; of a store without replicas the same one twice. */
export type BoardUnderTest = {
  readonly one: InstanceBoard;
  readonly other: InstanceBoard;
  close(): Promise<void>;
};

/** Beats at once, where many are needed. */
const atOnce = 50;

/** What a process says of itself. */
export const beatOf = (instance: string, counter: number, leaving = false) => ({
  ...{ instance, role: 'orchestrator', address: '127.0.0.1:1', counter: BigInt(counter), leaving },
});

const wait = (conversationId: string) => create(views.RunWaitSchema, { conversationId, runId: 'r', name: 'peer' });

/** What a process says that only wants to know. */
export const question = { instance: '', role: '', address: '', counter: 0n, leaving: false };

/** What every board must do, whatever it is kept in. */
export function instanceBoardContract(
  name: string,
  describeIt: (name: string, tests: () => void) => void,
  open: () => Promise<BoardUnderTest>,
): void {
  describeIt(`instance board: ${name}`, () => {
    let under: BoardUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    test('an answer shows all that was said before it, at either replica', async () => {
      const { one, other } = under;
      expect(await one.beat(question)).toEqual([]);
      expect(await one.beat(beatOf('a', 1))).toEqual([shown('a', 1)]);
      expect(await other.beat(beatOf('b', 1))).toEqual([shown('a', 1), shown('b', 1)]);
      for (let counter = 2; counter < 20; counter++) {
        await one.beat(beatOf('a', counter));
        expect(await other.beat(question)).toEqual([shown('b', counter - 1), shown('a', counter)]);
        expect(await other.beat(beatOf('b', counter))).toEqual([shown('a', counter), shown('b', counter)]);
      }
    });

    test('never shows less than what its own caller just said, however many speak at once', async () => {
      const { one, other } = under;
      const speak = async (instance: string, board: InstanceBoard) => {
        for (let counter = 1; counter <= 10; counter++) {
          const posted = await board.beat(beatOf(instance, counter));
          expect(posted.find((each) => each.instance === instance)?.counter).toBe(BigInt(counter));
        }
      };
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => speak(id, index % 2 === 0 ? one : other)));
      expect(await one.beat(question)).toHaveLength(6);
    });

    test('a process that leaves is shown so, or not at all where that means dead', async () => {
      const { one, other } = under;
      await one.beat(beatOf('a', 1));
      await one.beat(beatOf('a', 2, true));
      expect(await other.beat(question)).toEqual(other.complete ? [] : [shown('a', 2, true)]);
    });

    test('what runs wait for is told by either replica, until the next heartbeat says otherwise', async () => {
      const { one, other } = under;
      const waits = [wait('c')];
      expect(other.waits()).toEqual([]);
      await one.beat({ ...beatOf('a', 1), waits, waitsMs: 60_000 });
      await other.beat(question);
      for (const board of [one, other]) expect(board.waits()).toMatchObject([{ conversationId: 'c', name: 'peer' }]);
      await one.beat({ ...beatOf('b', 1), waits: [wait('d')], waitsMs: 60_000 });
      await one.beat(beatOf('a', 2));
      await other.beat(question);
      expect(other.waits()).toMatchObject([{ conversationId: 'd' }]);
      await one.beat(beatOf('b', 2, true));
      await other.beat(question);
      expect(other.waits()).toEqual([]);
      const tooMany = Array.from({ length: instanceWaitsMax + 1 }, () => wait('c'));
      await expect(one.beat({ ...beatOf('a', 3), waits: tooMany })).rejects.toMatchObject({ kind: 'invalid_argument' });
    });

    test('takes ids of any characters, and none that are too long', async () => {
      const { one } = under;
      const strange = 'ä b.*>$/\u0000'.padEnd(instanceTextCharactersMax, '.');
      await one.beat(beatOf(strange, 1));
      expect((await one.beat(question)).map(({ instance }) => instance)).toEqual([strange]);
      for (const field of ['instance', 'role', 'address'])
        await expect(one.beat({ ...beatOf('a', 1), [field]: `${strange}.` })).rejects.toMatchObject({
          kind: 'invalid_argument',
        });
    });

    test('keeps a bounded number: those renewed last', async () => {
      const { one, other } = under;
      await one.beat(beatOf('first', 1));
      await one.beat(beatOf('second', 1));
      const rest = Array.from({ length: instancesMax - 1 }, (_, index) => `${index}`);
      while (rest.length > 0) await Promise.all(rest.splice(0, atOnce).map((id) => one.beat(beatOf(id, 1))));
      await one.beat(beatOf('second', 2));
      for (const board of [one, other]) {
        const ids = (await board.beat(question)).map(({ instance }) => instance);
        expect(ids).toHaveLength(instancesMax);
        expect(ids).not.toContain('first');
        expect(ids.at(-1)).toBe('second');
      }
    });
  });
}

function shown(instance: string, counter: number, left = false) {
  return { instance, role: 'orchestrator', address: '127.0.0.1:1', counter: BigInt(counter), left };
}

/** For a board that needs nothing. */
export const always = (name: string, tests: () => void): void => void describe(name, tests);
