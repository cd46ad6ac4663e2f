import { unavailable } from '@stopgo/core';
import { describe, expect, test, vi } from 'vitest';
import { aborted, type EchoImpl, echoImpl, failure, readAll, type Transport, waitFor } from './echo.ts';

/** What a stream promises: order, its end, and that its producer is freed. */
export function streamContract({ connect, onInternalError }: Transport): void {
  test('a stream gives every answer in order, ends, and frees its producer once', async () => {
    const freed = vi.fn();
    const client = await connect({
      async *count({ upto }) {
        try {
          for (let value = 0; value < upto; value++) yield { value };
        } finally {
          freed();
        }
      },
    });
    const values = (await readAll(client.count({ upto: 500 }))).map(({ value }) => value);
    expect(values).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(freed).toHaveBeenCalledTimes(1);
    expect(await readAll(client.count({ upto: 0 }))).toEqual([]);
  });

  test('a failing stream delivers what came before, also to a slow reader', async () => {
    const client = await connect({
      async *count() {
        for (let value = 0; value < 100; value++) yield { value };
        throw unavailable('enough');
      },
    });
    const values: number[] = [];
    const reading = (async () => {
      for await (const { value } of client.count({})) {
        values.push(value);
        await client.echo({});
      }
    })();
    expect((await failure(reading)).message).toBe('enough');
    expect(values.length).toBe(100);
  });

  describe('a producer is freed', () => {
    const producer = () => {
      const state = { freed: 0, reason: undefined as unknown, waiting: false };
      const count: EchoImpl['count'] = async function* ({ upto }, { signal }) {
        try {
          for (let value = 0; value < upto; value++) yield { value };
          state.waiting = true;
          await aborted(signal);
        } finally {
          state.reason = signal.reason;
          state.freed++;
        }
      };
      const freed = () =>
        waitFor(() => expect([state.freed, state.reason]).toEqual([1, expect.objectContaining({ kind: 'canceled' })]));
      return { state, count, freed };
    };

    test('when its reader breaks off', async () => {
      const { count, freed } = producer();
      const client = await connect({ count });
      for await (const { value } of client.count({ upto: 1_000_000 })) if (value === 3) break;
      await freed();
    });

    test('when its reader returns during a read, which ends as the end of the stream', async () => {
      const { count, freed, state } = producer();
      const client = await connect({ count });
      const stream = client.count({ upto: 1 });
      await stream.next();
      const pending = stream.next();
      await waitFor(() => expect(state.waiting).toBe(true));
      await stream.return?.();
      expect((await pending).done).toBe(true);
      expect((await stream.next()).done).toBe(true);
      await freed();
    });

    test('when the signal aborts during a read', async () => {
      const { count, freed, state } = producer();
      const client = await connect({ count });
      const leave = new AbortController();
      const reading = failure(readAll(client.count({ upto: 1 }, { signal: leave.signal })));
      await waitFor(() => expect(state.waiting).toBe(true));
      leave.abort();
      expect((await reading).kind).toBe('canceled');
      await freed();
    });

    test('when the signal aborts while nobody reads', async () => {
      const { count, freed } = producer();
      const client = await connect({ count });
      const leave = new AbortController();
      const stream = client.count({ upto: 1_000_000 }, { signal: leave.signal });
      await stream.next();
      leave.abort();
      await freed();
    });
  });

  test('a producer that fails while it is freed is reported', async () => {
    const client = await connect({
      async *count() {
        try {
          while (true) yield {};
        } finally {
          // biome-ignore lint/correctness/noUnsafeFinally: it is what goes wrong here
          throw new Error('clean-up failed');
        }
      },
    });
    for await (const _first of client.count({})) break;
    await waitFor(() => expect(onInternalError).toHaveBeenCalledTimes(1));
    expect(onInternalError.mock.calls[0]?.[0]).toMatchObject({ message: 'clean-up failed' });
  });

  test('a stream that is never read, or returned before, never starts', async () => {
    const count = vi.fn(echoImpl({}).count);
    const client = await connect({ count });
    client.count({ upto: 1 });
    await client.count({ upto: 1 }).return?.();
    await client.echo({});
    expect(count).not.toHaveBeenCalled();
  });
}
