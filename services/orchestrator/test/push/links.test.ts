import { DomainError, type ErrorKind, isLinkText, linkDigestOf } from '@stopgo/core';
import { approvals, create } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { type LinkParts, Links } from '../../src/push/webhooks/links.ts';

const expiresAt = { seconds: 1_000n, nanos: 0 };
const wanted = { notice: 'c:4:desk', approvalId: 'a', email: 'fay@x.example' };
const signal = new AbortController().signal;

/** Makes a link with a key of this byte; `answer`: that of the approvals service. */
async function make(byte: number, more: Partial<typeof wanted> = {}, answer: () => void = () => undefined) {
  const digests: string[] = [];
  const makeLink: LinkParts['approvals']['makeLink'] = async ({ digest = '' }) => {
    digests.push(digest);
    answer();
    return create(approvals.MakeLinkResponseSchema, { expiresAt });
  };
  const links = new Links(
    { approvals: { makeLink }, key: new Uint8Array(32).fill(byte) },
    'https://x.example',
    () => 0,
  );
  const made = await links.make({ ...wanted, ...more }, signal);
  return { made, digests };
}

const urlOf = async (...given: Parameters<typeof make>): Promise<string> => {
  const { made } = await make(...given);
  return made.kind === 'made' ? made.link.url : made.kind;
};

test('a notice has the same link each time, and no other notice, user or key has it', async () => {
  const url = await urlOf(1);
  const text = url.replace('https://x.example/links/', '');
  expect(isLinkText(text)).toBe(true);
  expect((await make(1)).digests).toEqual([linkDigestOf(text)]);
  expect(await urlOf(1)).toBe(url);
  const others = [await urlOf(2), await urlOf(1, { notice: 'c:5:desk' }), await urlOf(1, { email: 'gus@x.example' })];
  expect(new Set([url, ...others]).size).toBe(4);
});

test.each<[Record<string, string>, object]>([
  [{ reason: 'settled' }, { kind: 'none', isSettled: true }],
  [{ reason: 'expired' }, { kind: 'none', isSettled: true }],
  [{ reason: 'no_user' }, { kind: 'none', isSettled: false }],
  [{ reason: 'no_sign_in' }, { kind: 'none', isSettled: false }],
  [{ reason: 'link' }, { kind: 'none', reason: 'refused', isSettled: false }],
  [{}, { kind: 'none', reason: 'refused', isSettled: false }],
])('what the approvals service refuses with %o comes to %o', async (details, expected) => {
  const refused = () => {
    throw new DomainError('failed_precondition', 'no', { details });
  };
  expect((await make(1, {}, refused)).made).toMatchObject(expected);
});

test.each<[ErrorKind, 'none' | 'unavailable']>([
  ['permission_denied', 'none'],
  ['unauthenticated', 'none'],
  ['unimplemented', 'none'],
  ['not_found', 'none'],
  ['invalid_argument', 'none'],
  ['unavailable', 'unavailable'],
  ['deadline_exceeded', 'unavailable'],
  ['resource_exhausted', 'unavailable'],
  ['internal', 'unavailable'],
])('an answer %s is one for good, or not: %s', async (kind, expected) => {
  const refused = () => {
    throw new DomainError(kind, 'no');
  };
  expect((await make(1, {}, refused)).made.kind).toBe(expected);
});

test('it is said once an hour that a webhook has no link', () => {
  let now = 0;
  const approvalsAway = { makeLink: () => Promise.reject(new Error('away')) };
  const links = new Links({ approvals: approvalsAway, key: new Uint8Array(32) }, '', () => now);
  expect([links.mayWarn('a'), links.mayWarn('a'), links.mayWarn('b')]).toEqual([true, false, true]);
  now = 60 * 60_000;
  expect([links.mayWarn('a'), links.mayWarn('a')]).toEqual([true, false]);
});
