import { DomainError, type ErrorKind, unavailable } from '@stopgo/core';
import { expect, test } from 'vitest';
import { aborted, failure, readAll, type Transport, waitFor } from './echo.ts';

const KINDS: readonly ErrorKind[] = [
  'invalid_argument',
  'not_found',
  'conflict',
  'failed_precondition',
  'unauthenticated',
  'permission_denied',
  'resource_exhausted',
  'unavailable',
  'deadline_exceeded',
  'canceled',
  'unimplemented',
  'data_loss',
  'internal',
];

/** How failures reach a caller. */
export function errorContract({ connect, onInternalError }: Transport): void {
  test.each(KINDS)('an error of kind %s arrives as it was thrown', async (kind) => {
    const thrown = new DomainError(kind, `${kind}: "ü" \n 😀 ${'long '.repeat(300)}`, {
      details: { id: '7', 'odd key ü': '\u0000 "' },
      retryAfterMs: 1_500,
      cause: new Error('stays here'),
    });
    const client = await connect({
      echo: async () => {
        throw thrown;
      },
      async *count() {
        yield { value: 1 };
        throw thrown;
      },
    });
    const values: number[] = [];
    const reading = (async () => {
      for await (const { value } of client.count({})) values.push(value);
    })();
    for (const error of await Promise.all([failure(client.echo({})), failure(reading)])) {
      expect([error.kind, error.message, error.details, error.retryAfterMs, error.cause]).toEqual([
        kind,
        thrown.message,
        thrown.details,
        1_500,
        undefined,
      ]);
    }
    expect(values).toEqual([1]);
    expect(onInternalError).not.toHaveBeenCalled();
  });

  test('an error without details or pause arrives without', async () => {
    const client = await connect({
      echo: async () => {
        throw unavailable('later');
      },
    });
    const error = await failure(client.echo({}));
    expect([error.details, 'retryAfterMs' in error]).toEqual([{}, false]);
  });

  test('an error too large to travel is cut, and says so', async () => {
    const details = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 'v'.repeat(100)]));
    const client = await connect({
      echo: async () => {
        throw unavailable('\u0001'.repeat(10_000), details);
      },
    });
    const error = await failure(client.echo({}));
    expect(error.kind).toBe('unavailable');
    expect([error.message.length > 100, error.message.at(0), error.message.at(-1)]).toEqual([true, '\u0001', '…']);
    expect(error.details).toMatchObject({ key0: 'v'.repeat(100), details_cut: 'true' });
    expect(Object.keys(error.details).length).toBeGreaterThan(30);
    expect(Buffer.byteLength(JSON.stringify([error.message, error.details]))).toBeLessThan(8 * 1024);
  });

  test('any other exception arrives as an internal error that tells an id and nothing else', async () => {
    const thrown = [new TypeError('password=hunter2'), 'a string', undefined];
    const client = await connect({
      echo: async ({ text }) => {
        throw thrown[Number(text)];
      },
      count: () => {
        throw thrown[0];
      },
    });
    const errors = [
      await failure(client.echo({ text: '0' })),
      await failure(client.echo({ text: '1' })),
      await failure(client.echo({ text: '2' })),
      await failure(readAll(client.count({}))),
    ];
    for (const error of errors) {
      expect(error.kind).toBe('internal');
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/hunter2|a string/);
    }
    const reported = onInternalError.mock.calls.map(([error, id]) => [error, id]);
    expect(reported).toEqual([...thrown, thrown[0]].map((error, index) => [error, errors[index]?.details.error_id]));
    expect(new Set(errors.map(({ message }) => message)).size).toBe(4);
  });

  test('an error that cannot be described is an internal error, not a hanging call', async () => {
    const client = await connect({
      echo: async () => {
        throw unavailable('x', { size: 1n as unknown as string });
      },
    });
    expect((await failure(client.echo({}))).kind).toBe('internal');
    expect(onInternalError).toHaveBeenCalledTimes(1);
  });

  test('a failing error hook changes nothing for the caller', async () => {
    onInternalError.mockImplementation(() => {
      throw new Error('the log is full');
    });
    const client = await connect({
      echo: async () => {
        throw new Error('x');
      },
    });
    expect((await failure(client.echo({}))).kind).toBe('internal');
  });

  test('a service that fails after its caller left is reported, once', async () => {
    const leave = new AbortController();
    const client = await connect({
      echo: async (_request, { signal }) => {
        leave.abort();
        await aborted(signal);
        await new Promise(setImmediate);
        throw new Error('too late');
      },
    });
    expect((await failure(client.echo({}, { signal: leave.signal }))).kind).toBe('canceled');
    await waitFor(() => expect(onInternalError).toHaveBeenCalledTimes(1));
  });
}
