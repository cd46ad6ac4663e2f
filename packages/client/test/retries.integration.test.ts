import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ApiError,
  type ConnectionOptions,
  createClient,
  NotReached,
  OutcomeUnknown,
  StrangeAnswer,
} from '../src/index.ts';
import { answers, breaksInTheMidst, breaksOff, OwnTime, ScriptedPlatform, silence } from './platform.ts';

let platform: ScriptedPlatform;
let time: OwnTime;

beforeEach(async () => {
  platform = await ScriptedPlatform.open();
  time = new OwnTime();
});
afterEach(() => platform.close());

const clientOf = (more: Partial<ConnectionOptions> = {}) => createClient({ url: platform.url, timing: time, ...more });
const done = answers(200, { conversation: {}, result: {} });
const notNow = (status: number, body: object = { error: 'not now' }, after = '2') =>
  answers(status, body, { 'retry-after': after });
const thrownBy = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error) => error,
  );
const keys = () => platform.sent('idempotency-key');

describe('what changes something', () => {
  test.each([
    ['is not answered', breaksOff],
    ['is answered by half', breaksInTheMidst],
    ['meets a proxy that reaches nobody', answers(502, { error: 'not reached' })],
    ['meets the page of a proxy', answers(503, '<html>', { 'content-type': 'text/html' })],
    ['meets a platform that is busy', notNow(429)],
    ['meets a platform that knows nothing', notNow(503, { error: 'away; whether this took effect is unknown' })],
    ['meets a platform that was too slow', notNow(504)],
    ['meets a platform that stood still', answers(408, { error: 'too slow' })],
  ])('and %s is sent again under its key until it is done', async (_, fails) => {
    platform.will(fails, fails, done);
    expect(await clientOf().conversations.send('c', 'pay')).toEqual({ conversation: {}, result: {} });
    expect(platform.arrived.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual(
      Array(3).fill('POST /conversations/c/messages {"message":"pay"}'),
    );
    expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys()).size).toBe(1);
  });

  test('has another key each time that it is meant', async () => {
    platform.will(done);
    const { conversations } = clientOf();
    await conversations.send('c', 'pay');
    await conversations.send('c', 'pay');
    await conversations.send('c', 'pay', {}, { key: 'a-key-of-my-own-0' });
    expect(new Set(keys()).size).toBe(3);
    expect(keys()[2]).toBe('a-key-of-my-own-0');
  });

  test.each([400, 401, 403, 404, 409, 422, 500])('and is refused with %i is not sent again', async (status) => {
    platform.will(notNow(status, { error: 'no', reason: 'settled' }), done);
    const error = await thrownBy(clientOf().approvals.approve('u'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, message: 'no', body: { reason: 'settled' }, retryAfterMs: 2_000 });
    expect(platform.arrived).toHaveLength(1);
  });

  test('and nobody answers is given up after some tries, and nobody knows what became of it', async () => {
    platform.will(breaksOff);
    const error = await thrownBy(clientOf().approvals.approve('u'));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(platform.arrived).toHaveLength(6);
    // Whoever asks again with it is done once.
    expect((error as OutcomeUnknown).key).toBe(keys()[0]);
  });

  test.each([
    ['refuses it for good', answers(409, { error: 'decided' }), ApiError],
    ['has no time', notNow(429), OutcomeUnknown],
    ['has become another program', answers(200, 'hello', { 'content-type': 'text/plain' }), OutcomeUnknown],
  ])('and was lost, and then the platform %s', async (_, last, kind) => {
    platform.will(breaksOff, last);
    expect(await thrownBy(clientOf().approvals.approve('u'))).toBeInstanceOf(kind);
  });

  test('and found nobody to connect to was not sent, and is tried until somebody is there', async () => {
    const tries: string[] = [];
    const nobody = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const absent: typeof fetch = (url) => {
      tries.push(String(url));
      return Promise.reject(new TypeError('fetch failed', { cause: nobody }));
    };
    const error = await thrownBy(clientOf({ fetch: absent }).conversations.start('hi'));
    expect(error).toBeInstanceOf(NotReached);
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    expect((error as Error).message).toBe('the platform does not answer: connect ECONNREFUSED');
    expect(tries).toHaveLength(6);
  });

  test('and whose key does not count there is sent once where it may have been taken', async () => {
    const { call } = clientOf();
    const key = () => call('POST /users/{user}/keys', { path: { user: 'u' }, body: { name: 'ci' } });
    platform.will(breaksOff);
    expect(await thrownBy(key())).toMatchObject({ name: 'OutcomeUnknown', key: undefined });
    expect(platform.arrived).toHaveLength(1);
  });

  test('and whose key does not count is sent once too where somebody between answers in JSON of their own, or with a key', async () => {
    platform.will(answers(504, { message: 'Endpoint request timed out' }));
    const sent = { method: 'POST', body: {}, key: 'a-key-of-my-own-0' } as const;
    expect(await thrownBy(clientOf().connection.ask('/users', sent))).toBeInstanceOf(OutcomeUnknown);
    expect(platform.arrived).toHaveLength(1);
  });

  test('and whose key does not count is sent again where it was surely not taken', async () => {
    platform.will(notNow(429), answers(201, { key: { text: 'x' } }));
    await clientOf().call('POST /users/{user}/keys', { path: { user: 'u' }, body: { name: 'ci' } });
    expect(platform.arrived).toHaveLength(2);
  });
});

describe('the pauses', () => {
  test('grow up to a bound', async () => {
    platform.will(breaksOff);
    await thrownBy(clientOf({ retries: { triesMax: 8, pauseMsMax: 3_000 } }).approvals.counts());
    expect(time.pauses).toEqual([250, 500, 1_000, 2_000, 3_000, 3_000, 3_000]);
  });

  test('are as long as the platform wants them, and no try begins too late', async () => {
    platform.will(notNow(503, { error: 'no' }, '25'));
    expect(await thrownBy(clientOf().approvals.counts())).toMatchObject({ name: 'ApiError', status: 503 });
    expect(time.pauses).toEqual([25_000, 25_000]);
  });

  test('are as long as the page of a proxy wants them, too', async () => {
    const page = answers(503, '<html>', { 'content-type': 'text/html', 'retry-after': '25' });
    platform.will(page, answers(200, { counts: {} }));
    await clientOf().approvals.counts();
    expect(time.pauses).toEqual([25_000]);
  });

  test('and the number of tries are those of the request, and whoever asks may have none', async () => {
    platform.will(breaksOff);
    const { connection } = clientOf();
    const met: unknown[] = [];
    const retries = { triesMax: 5, firstPauseMs: 40, pauseMsMax: 40 };
    const mayRetry = (error: unknown, tries: number): boolean => {
      met.push([(error as Error).name, tries]);
      return tries < 3;
    };
    await thrownBy(connection.ask('/conversations', { body: {}, retries, mayRetry }));
    expect(met).toEqual([1, 2, 3].map((tries) => ['OutcomeUnknown', tries]));
    expect(time.pauses).toEqual([40, 40]);
    await thrownBy(connection.ask('/approvals', { retries: { triesMax: 1 }, mayRetry }));
    expect(met).toHaveLength(3);
  });

  test('end when nobody wants the answer any more', async () => {
    const leaving = new AbortController();
    platform.will(breaksOff);
    const sleep = (_: number, signal?: AbortSignal): Promise<void> => {
      if (signal === leaving.signal) leaving.abort(new Error('left'));
      return signal === leaving.signal ? Promise.resolve() : new Promise(() => undefined);
    };
    let asked = 0;
    const credentials = () => {
      asked += 1;
      return {};
    };
    const { approvals } = clientOf({ credentials, timing: { ...time, sleep } });
    await expect(approvals.approve('u', {}, { signal: leaving.signal })).rejects.toThrow('left');
    expect(platform.arrived).toHaveLength(1);
    expect(asked).toBe(1);
  });
});

test('an answer that does not come in time is asked for again', async () => {
  platform.will((res, arrived) => (platform.arrived.indexOf(arrived) === 0 ? time.runOut() : done(res, arrived)));
  await clientOf().approvals.approve('u');
  expect(new Set(keys()).size).toBe(1);
  expect(platform.arrived).toHaveLength(2);
});

test('whoever leaves while an answer is waited for is told why by their own words', async () => {
  const leaving = new AbortController();
  platform.will((res, arrived) => {
    leaving.abort(new Error('left'));
    silence(res, arrived);
  });
  const { approvals } = clientOf({ retries: { triesMax: 1 } });
  await expect(approvals.get('u', { signal: leaving.signal })).rejects.toThrow(/^left$/);
});

test.each([
  ['text', 'hello', { 'content-type': 'text/plain; charset=utf-8' }, 'text/plain'],
  ['JSON that is no object', '1', {}, 'application/json'],
])('%s is no answer of the platform', async (_, text, headers, mediaType) => {
  platform.will(answers(200, text, headers));
  const error = (await thrownBy(clientOf().approvals.get('u'))) as NotReached;
  expect(error).toBeInstanceOf(NotReached);
  expect(error.cause).toBeInstanceOf(StrangeAnswer);
  expect(error.cause).toMatchObject({ mediaType, text, status: 200 });
  expect(platform.arrived).toHaveLength(1);
});

test('a file is read as it comes, and what is no file is an error', async () => {
  const expired = answers(401, { error: 'expired' });
  platform.will(expired, answers(200, 'a,b', { 'content-type': 'text/csv' }), answers(404, { error: 'no such file' }));
  const { connection } = clientOf({ renew: () => true });
  expect(await (await connection.read('/f')).text()).toBe('a,b');
  expect(await thrownBy(connection.read('/f'))).toMatchObject({ name: 'ApiError', message: 'no such file' });
  platform.will(answers(502, '<html>', { 'content-type': 'text/html' }));
  expect(await thrownBy(connection.read('/f'))).toMatchObject({ name: 'ApiError' });
  expect(await thrownBy(connection.read('/f'))).toMatchObject({ name: 'NotReached', cause: { status: 502 } });
});

test('a platform that sends on to another one is followed nowhere', async () => {
  platform.will(answers(307, '', { location: '/elsewhere' }));
  const client = clientOf({ credentials: { apiKey: 'secret' }, retries: { triesMax: 1 } });
  await expect(client.approvals.get('u')).rejects.toThrow(NotReached);
  expect(platform.arrived.map(({ url }) => url)).toEqual(['/approvals/u']);
});

describe('who asks', () => {
  test.each<[string, ConnectionOptions['credentials'], Record<string, string>]>([
    ['an API key', { apiKey: 'k' }, { 'x-api-key': 'k' }],
    ['a bearer token', { bearerToken: 't' }, { authorization: 'Bearer t' }],
    ['a function', async () => ({ 'x-of-mine': 'm' }), { 'x-of-mine': 'm' }],
  ])('is told by %s', async (_, credentials, headers) => {
    platform.will(answers(200, { counts: {} }));
    await clientOf({ credentials: credentials! }).approvals.counts();
    expect(platform.arrived[0]?.headers).toMatchObject(headers);
  });

  test('is asked once more where the credentials are renewed, under the same key', async () => {
    const expired = answers(401, { error: 'expired', session: 'due' });
    platform.will(expired, done, expired, expired);
    const refusals: unknown[] = [];
    const told: string[] = [];
    const client = clientOf({
      onRefused: ({ message }) => void told.push(message),
      credentials: () => ({ 'x-token': String(refusals.length) }),
      renew: async (refusal) => refusals.push(refusal.body.session) > 0,
    });
    await client.conversations.send('c', 'pay');
    expect(keys()[1]).toBe(keys()[0]);
    // Where the new ones are refused as well, there is no end to it.
    await expect(client.conversations.get('c')).rejects.toThrow('expired');
    expect(refusals).toEqual(['due', 'due']);
    expect(told).toEqual(['expired']);
    expect(platform.sent('x-token')).toEqual(['0', '1', '1', '2']);
    expect(time.pauses).toEqual([]);
  });

  test('is not told in an error', async () => {
    const { approvals } = clientOf({ credentials: { apiKey: 'sec\nret' } });
    await expect(approvals.counts()).rejects.toThrow(/^the credentials hold a character that X-API-Key cannot take$/);
    expect(() => createClient({ url: 'http://ana:secret@127.0.0.1' })).toThrow(/^(?!.*secret).*must not hold/);
  });
});

test('numbers come and go digit by digit', async () => {
  platform.will(answers(200, '{"approval":{"tool_args":{"n":12345678901234567890,"one":1.0}}}'));
  const { approvals } = clientOf();
  const { tool_args: args } = await approvals.get('u');
  await approvals.approve('u', { arguments: args as object as Record<string, never> });
  expect(platform.arrived[1]?.body).toBe('{"arguments":{"n":12345678901234567890,"one":1.0},"action":"approve"}');
});

test('a list is read page after page, and what is put into a path stays in its place', async () => {
  platform.will(
    answers(200, { approvals: [{ uuid: 'a' }], next_cursor: 'x&y' }),
    answers(200, { approvals: [], next_cursor: 'z' }),
    answers(200, { approvals: [{ uuid: 'b' }] }),
  );
  const { approvals, call } = clientOf();
  const found: string[] = [];
  for await (const { uuid } of approvals.all({ status: 'pending' })) found.push(uuid);
  expect(found).toEqual(['a', 'b']);
  await approvals.get('../users');
  await call('GET /agents/{name}', { path: { name: 'ops/a b' }, query: { commit: 'main' } });
  expect(platform.arrived.map(({ url }) => url)).toEqual([
    '/approvals?status=pending',
    '/approvals?status=pending&cursor=x%26y',
    '/approvals?status=pending&cursor=z',
    '/approvals/..%2Fusers',
    '/agents/ops/a%20b?commit=main',
  ]);
});
