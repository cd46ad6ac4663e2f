import { type Approval, OutcomeUnknown } from '@stopgo/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { askOnce, openTry } from '../../app/api/tries.ts';
import { wordsOf } from '../../app/api/words.ts';
import { decide } from '../../app/approvals/decide.ts';
import { heard } from '../../app/state/live.ts';

type Sent = { readonly path: string; readonly method: string; readonly key: string | null; readonly body: unknown };
let sent: Sent[];
let answers: (() => Response)[];

const answer = (status: number, body: object) => () => new Response(JSON.stringify(body), { status });
const lost = answer(502, { error: 'the platform is not reached; whether this took effect is unknown: look again' });

/** What becomes of a request as often as the app sends it by itself. */
const thrice = (one: () => Response) => [one, one, one];

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  vi.stubGlobal('localStorage', { getItem: () => null });
  sent = [];
  answers = [];
  vi.stubGlobal('fetch', async (path: string, { method, headers, body }: RequestInit) => {
    sent.push({ path, method: method ?? 'GET', key: new Headers(headers).get('Idempotency-Key'), body });
    const next = answers.shift();
    if (next === undefined) throw new TypeError('nobody is there');
    return next();
  });
  return () => vi.unstubAllGlobals();
});

const begin = (message: string) => askOnce('new', '/conversations', JSON.stringify({ message }));
const keys = () => sent.flatMap(({ method, key }) => (method === 'POST' ? key : []));

test('what may have been taken is sent again at once, and nobody notices', async () => {
  answers = [lost, answer(503, { error: 'the store is not reached' }), answer(201, {})];
  await begin('pay');
  expect(keys()).toEqual(Array(3).fill(keys()[0]));
  expect(openTry('new')).toBeUndefined();
});

test.each([
  ['lost on the way', thrice(lost)],
  [
    'not known to the platform',
    thrice(answer(503, { error: 'it is not known whether this took effect: look before' })),
  ],
  ['a page of somebody else', [() => new Response('<html>', { status: 200 })]],
])('what may have been taken (%s) is sent again under the same key, and once only', async (_, unknown) => {
  answers = [...unknown, answer(201, {}), answer(201, {})];
  const error = await begin('pay').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(wordsOf(error)).toContain('may have been taken: sending it again is safe');
  await begin('pay');
  expect(openTry('new')).toBeUndefined();
  // It is known to be done: whoever says it once more means it.
  await begin('pay');
  const before = unknown.length + 1;
  expect(keys().slice(0, before)).toEqual(Array(before).fill(keys()[0]));
  expect(keys()[before]).not.toBe(keys()[0]);
});

test('another text, or another place, is another request', async () => {
  await begin('pay').catch(() => undefined);
  await askOnce('other', '/conversations', JSON.stringify({ message: 'pay' })).catch(() => undefined);
  await begin('pay twice').catch(() => undefined);
  expect(new Set(keys()).size).toBe(3);
});

test('a key that was of another request is not used for ever', async () => {
  answers = [answer(422, { error: 'another request has this key' }), answer(201, {})];
  await expect(begin('pay')).rejects.toThrow('another request');
  await begin('pay');
  expect(keys()[1]).not.toBe(keys()[0]);
});

test('what is certain keeps its own words', async () => {
  answers = thrice(answer(503, { error: 'the store is not reached' }));
  expect(wordsOf(await begin('pay').catch((thrown) => thrown))).toBe('The store is not reached.');
});

const approval = { uuid: 'a1' } as Approval;

test('a decision whose answer is lost is the same decision when it is sent again', async () => {
  answers = [...thrice(lost), answer(200, {}), answer(200, { approval: { uuid: 'a1', status: 'approved' } })];
  await expect(decide(approval, { action: 'approve' })).rejects.toThrow(OutcomeUnknown);
  await decide(approval, { action: 'approve' });
  expect(keys()).toEqual(Array(4).fill(keys()[0]));
});

test.each(['settled', 'expired'])('a decision that comes too late (%s) shows what became of it', async (reason) => {
  answers = [answer(409, { error: 'x', reason }), answer(200, { approval: { uuid: reason, status: 'rejected' } })];
  await decide(approval, { action: 'approve' });
  expect(heard.get().get(reason)).toMatchObject({ status: 'rejected' });
});

test.each(['voted', 'choice', 'edit', undefined])('a decision that is refused (%s) says why', async (reason) => {
  answers = [answer(409, { error: 'you have said yes already', reason })];
  await expect(decide(approval, { action: 'approve' })).rejects.toThrow('you have said yes already');
});
