import { create, isMessage } from '@bufbuild/protobuf';
import { DomainError, deadlineExceeded, type ErrorKind, unavailable } from '@stopgo/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type CallContext,
  type Client,
  forward,
  forwardDetached,
  type OnInternalError,
  Secret,
  type ServiceImpl,
  UNARY_TIMEOUT_MS_DEFAULT,
} from '../src/index.ts';
import {
  EchoRequestSchema,
  EchoResponseSchema,
  type EchoService,
  NoteSchema,
} from './gen/stopgo/testing/v1/echo_pb.ts';

export type EchoImpl = ServiceImpl<typeof EchoService>;
export type EchoClient = Client<typeof EchoService>;
export type Opened = { readonly client: EchoClient; close(): Promise<void> };

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
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const BEARER = 'end-user-token-ü-0123456789';

/** An implementation where only what a test is about is spelled out. */
export const echoImpl = (parts: Partial<EchoImpl>): EchoImpl => ({
  echo: async (request) => ({ text: request.text }),
  async *count({ upto }) {
    for (let value = 0; value < upto; value++) yield { value };
  },
  ...parts,
});

/** The DomainError that `work` fails with. */
export async function failure(work: Promise<unknown>): Promise<DomainError> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
}

export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

/** Resolves when the signal aborts, with its reason. */
export const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

/** Waits until `check` passes; its failure is the test's if it never does. */
const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 2 });

/** What every transport promises. `open` gives a client of `impl` as one of our own services sees it. */
export function transportContract(
  name: string,
  open: (impl: EchoImpl, onInternalError: OnInternalError) => Promise<Opened>,
): void {
  describe(`transport: ${name}`, () => {
    const opened: Opened[] = [];
    const onInternalError = vi.fn<OnInternalError>();
    const connect = async (parts: Partial<EchoImpl>): Promise<EchoClient> => {
      const transport = await open(echoImpl(parts), onInternalError);
      opened.push(transport);
      return transport.client;
    };
    afterEach(async () => {
      for (const transport of opened.splice(0)) await transport.close();
      onInternalError.mockReset();
    });

    test('a unary call takes and gives plain objects as messages, nested ones too', async () => {
      const seen: unknown[] = [];
      const client = await connect({
        echo: async (request) => {
          seen.push(isMessage(request, EchoRequestSchema), isMessage(request.note, NoteSchema));
          return { text: `re: ${request.text}`, note: { text: request.note?.text ?? '' }, payload: request.payload };
        },
      });
      const answer = await client.echo({ text: 'häß😀', note: { text: 'n' }, payload: new Uint8Array([0, 255]) });
      expect(seen).toEqual([true, true]);
      expect(isMessage(answer, EchoResponseSchema) && isMessage(answer.note, NoteSchema)).toBe(true);
      expect([answer.text, answer.note?.text, [...answer.payload]]).toEqual(['re: häß😀', 'n', [0, 255]]);
      expect((await client.echo(create(EchoRequestSchema, { text: 'message' }))).text).toBe('re: message');
    });

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

    test('context travels: bearer, session, principal, trace; without any, the caller is anonymous', async () => {
      const contexts: CallContext[] = [];
      const client = await connect({
        echo: async (_request, context) => {
          contexts.push(context);
          return {};
        },
        async *count({ upto: value }, context) {
          contexts.push(context);
          yield { value };
        },
      });
      const context = {
        bearerToken: new Secret(BEARER),
        sessionId: 'a.B:1-_',
        principal: { kind: 'anonymous' },
        traceparent: TRACE,
      } as const;
      await client.echo({}, { context });
      await readAll(client.count({}, { context }));
      await client.echo({});
      const shown = contexts.map((seen) => [
        seen.bearerToken?.reveal(),
        seen.sessionId,
        seen.principal,
        seen.traceparent,
        seen.peerInternal,
        seen.signal.aborted,
      ]);
      const full = [BEARER, 'a.B:1-_', { kind: 'anonymous' }, TRACE, true, false];
      expect(shown).toEqual([full, full, [undefined, undefined, { kind: 'anonymous' }, undefined, true, false]]);
    });

    test.each([
      ['session id', { sessionId: 'no spaces' }],
      ['session id', { sessionId: 'x'.repeat(129) }],
      ['traceparent', { traceparent: 'nonsense' }],
      ['bearer token', { bearerToken: new Secret('x'.repeat(16 * 1024 + 1)) }],
    ])('a malformed %s is refused before the service is called', async (part, context) => {
      const echo = vi.fn(async () => ({}));
      const client = await connect({ echo });
      const error = await failure(client.echo({}, { context }));
      expect([error.kind, error.message]).toEqual(['invalid_argument', expect.stringContaining(part)]);
      expect(echo).not.toHaveBeenCalled();
    });

    test('the longest bearer token passes', async () => {
      const token = 'x'.repeat(16 * 1024);
      const client = await connect({
        echo: async (_request, { bearerToken }) => ({ text: String(bearerToken?.reveal().length) }),
      });
      expect((await client.echo({}, { context: { bearerToken: new Secret(token) } })).text).toBe(String(token.length));
    });

    test('forward passes identity, deadline and cancellation on; forwardDetached identity only', async () => {
      const inner: CallContext[] = [];
      const cancellations: unknown[] = [];
      const client: EchoClient = await connect({
        echo: async ({ text }, context) => {
          if (text === 'inner') {
            inner.push(context);
            cancellations.push(await aborted(context.signal));
            return {};
          }
          const options = { timeoutMs: 60_000, context: (text === 'forward' ? forward : forwardDetached)(context) };
          await client.echo({ text: 'inner' }, options);
          return {};
        },
      });
      const leave = new AbortController();
      const deadline = Date.now() + 20_000;
      const sent = { bearerToken: new Secret(BEARER), sessionId: 's', traceparent: TRACE, deadline };
      const calls = ['forward', 'detached'].map((text) =>
        client.echo({ text }, { context: sent, signal: leave.signal }),
      );
      const outcomes = Promise.all(calls.map(failure));
      await waitFor(() => expect(inner.length).toBe(2));
      leave.abort();
      expect((await outcomes).map(({ kind }) => kind)).toEqual(['canceled', 'canceled']);
      await waitFor(() => expect(cancellations.length).toBe(1));
      const [forwarded, detached] = [...inner].sort((a, b) => (a.deadline ?? 0) - (b.deadline ?? 0));
      for (const seen of inner) {
        expect([seen.bearerToken?.reveal(), seen.sessionId, seen.traceparent]).toEqual([BEARER, 's', TRACE]);
      }
      expect(forwarded?.deadline).toBeLessThan(deadline + 5_000);
      expect(detached?.deadline).toBeGreaterThan(deadline + 5_000);
      expect([forwarded?.signal.aborted, detached?.signal.aborted]).toEqual([true, false]);
    });

    test('a caller that gives up gets "canceled" at once, and the service learns it', async () => {
      const reasons: unknown[] = [];
      const client = await connect({
        // Goes on for ever, whatever its signal says.
        echo: (_request, { signal }) => {
          void aborted(signal).then((reason) => reasons.push(reason));
          started();
          return new Promise(() => undefined);
        },
      });
      const leave = new AbortController();
      const started = () => queueMicrotask(() => leave.abort(new Error('reason of the caller')));
      const error = await failure(client.echo({}, { signal: leave.signal }));
      expect(error.kind).toBe('canceled');
      await waitFor(() => expect(reasons).toEqual([expect.objectContaining({ kind: 'canceled' })]));
      expect((await failure(client.echo({}, { signal: leave.signal }))).kind).toBe('canceled');
      expect(reasons.length).toBe(1);
    });

    test('a call that ends with the call it serves tells the same reason', async () => {
      const client = await connect({ echo: () => new Promise(() => undefined) });
      const outer = new AbortController();
      const call = failure(client.echo({}, { context: { signal: outer.signal } }));
      const stream = client.count({ upto: 9 }, { context: { signal: outer.signal } });
      await stream.next();
      outer.abort(deadlineExceeded('the outer call'));
      for (const error of [await call, await failure(readAll(stream))]) {
        expect([error.kind, error.message]).toEqual(['deadline_exceeded', 'the outer call']);
      }
    });

    test('a deadline ends a call, and the service learns it', async () => {
      const reasons: unknown[] = [];
      const client = await connect({
        echo: async (_request, { signal }) => {
          reasons.push(await aborted(signal));
          throw new DOMException('the work was aborted', 'AbortError');
        },
        async *count(_request, { signal }) {
          yield { value: 1 };
          reasons.push(await aborted(signal));
        },
      });
      const unary = await failure(client.echo({}, { timeoutMs: 100 }));
      expect([unary.kind, unary.message]).toEqual(['deadline_exceeded', expect.stringContaining('EchoService/Echo')]);
      const stream = client.count({}, { timeoutMs: 100 });
      expect((await stream.next()).value?.value).toBe(1);
      expect((await failure(stream.next())).kind).toBe('deadline_exceeded');
      await waitFor(() => expect(reasons.length).toBe(2));
      expect(reasons.every((reason) => reason instanceof DomainError)).toBe(true);
      expect(onInternalError).not.toHaveBeenCalled();
    });

    test('the earlier of timeout and context deadline holds; unary calls have a default, streams none', async () => {
      const client = await connect({
        echo: async (_request, { deadline = Number.NaN }) => ({ text: String(deadline - Date.now()) }),
        async *count(_request, { deadline }) {
          yield { value: deadline === undefined ? 0 : 1 };
        },
      });
      const leftMs = async (options: Parameters<EchoClient['echo']>[1]) =>
        Number((await client.echo({}, options)).text);
      const within = (ms: number) => expect.toSatisfy((left: number) => left > ms - 5_000 && left <= ms + 100);
      expect(await leftMs({})).toEqual(within(UNARY_TIMEOUT_MS_DEFAULT));
      expect(await leftMs({ timeoutMs: 90_000 })).toEqual(within(90_000));
      expect(await leftMs({ timeoutMs: 90_000, context: { deadline: Date.now() + 60_000 } })).toEqual(within(60_000));
      expect(await leftMs({ timeoutMs: 60_000, context: { deadline: Date.now() + 90_000 } })).toEqual(within(60_000));
      expect((await readAll(client.count({}))).map(({ value }) => value)).toEqual([0]);
      expect((await readAll(client.count({}, { timeoutMs: 9_000 }))).map(({ value }) => value)).toEqual([1]);
    });

    test('a call whose deadline has passed is not made', async () => {
      const echo = vi.fn(async () => ({}));
      const client = await connect({ echo });
      const error = await failure(client.echo({}, { context: { deadline: Date.now() - 1 } }));
      expect(error.kind).toBe('deadline_exceeded');
      expect(echo).not.toHaveBeenCalled();
    });

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
      for (const error of [await failure(client.echo({})), await failure(reading)]) {
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

    test('a failing stream delivers what came before, also to a slow reader', async () => {
      const client = await connect({
        async *count() {
          for (let value = 0; value < 20; value++) yield { value };
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
      expect(values.length).toBe(20);
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
          waitFor(() =>
            expect([state.freed, state.reason]).toEqual([1, expect.objectContaining({ kind: 'canceled' })]),
          );
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

    test('a stream that is never read, or returned before, never starts', async () => {
      const count = vi.fn(echoImpl({}).count);
      const client = await connect({ count });
      client.count({ upto: 1 });
      await client.count({ upto: 1 }).return?.();
      await client.echo({});
      expect(count).not.toHaveBeenCalled();
    });

    test('calls run side by side', async () => {
      let waiting = 0;
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const client = await connect({
        echo: async ({ text }) => {
          if (++waiting === 50) open();
          await gate;
          return { text };
        },
      });
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => client.echo({ text: String(index) })));
      expect(answers.map(({ text }) => Number(text))).toEqual(Array.from({ length: 50 }, (_, index) => index));
    });
  });
}
