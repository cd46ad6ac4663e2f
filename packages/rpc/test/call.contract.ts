import { create, isMessage } from '@bufbuild/protobuf';
import { DomainError, deadlineExceeded } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { type CallContext, forward, forwardDetached, Secret, unaryTimeoutMsDefault } from '../src/index.ts';
import { aborted, type EchoClient, failure, readAll, type Transport, waitFor } from './echo.ts';
import { EchoRequestSchema, EchoResponseSchema, NoteSchema } from './gen/stopgo/testing/v1/echo_pb.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const BEARER = 'end-user-token-ü-0123456789';

/** What a call promises: messages, context, cancellation, deadlines. */
export function callContract({ connect, onInternalError }: Transport): void {
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
    const calls = ['forward', 'detached'].map((text) => client.echo({ text }, { context: sent, signal: leave.signal }));
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
    const unary = await failure(client.echo({}, { timeoutMs: 1_000 }));
    expect([unary.kind, unary.message]).toEqual(['deadline_exceeded', expect.stringContaining('EchoService/Echo')]);
    const stream = client.count({}, { timeoutMs: 1_000 });
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
    const leftMs = async (options: Parameters<EchoClient['echo']>[1]) => Number((await client.echo({}, options)).text);
    const within = (ms: number) => expect.toSatisfy((left: number) => left > ms - 5_000 && left <= ms + 100);
    expect(await leftMs({})).toEqual(within(unaryTimeoutMsDefault));
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
}
