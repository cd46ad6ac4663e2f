import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { isLinkOver, isLinkText, linkDigestOf, linkText, makeLink } from '../src/index.ts';

const day = 24 * 3_600_000;
const user = create(views.UserSchema, { id: 'u', revision: 1, active: true });
const approval = (expiresAt?: number, onExpiry: facts.OnExpiry = facts.OnExpiry.REJECT) =>
  create(views.ApprovalSchema, {
    ...{ id: 'a', conversationId: 'c', status: views.ApprovalStatus.PENDING, demand: { onExpiry } },
    ...(expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) }),
  });
/** How long a link lasts that is made at the time 0, in milliseconds. */
const lasts = (...of: Parameters<typeof approval>) => {
  const [made] = makeLink(approval(...of), user, 0);
  if (made?.case !== 'linkMade') throw new Error('a link');
  expect(made.value).toMatchObject({ approvalId: 'a', conversationId: 'c', userId: 'u' });
  return Number(made.value.expiresAt?.seconds) * 1_000;
};

describe('a link', () => {
  test('lasts as long as its approval can be decided, seven days at most', () => {
    expect([lasts(), lasts(30 * day), lasts(day)]).toEqual([7 * day, 7 * day, day]);
    // What is left open after its time can be decided still.
    expect(lasts(day, facts.OnExpiry.LEAVE)).toBe(7 * day);
  });

  test('is made for nobody who is not active, and for nothing that is decided or over', () => {
    const reasonOf = (of: views.Approval, whose: views.User, now: number) => {
      try {
        return makeLink(of, whose, now).length;
      } catch (error) {
        return (error as { details: { reason: string } }).details.reason;
      }
    };
    expect([
      reasonOf(approval(), create(views.UserSchema, { id: 'u' }), 0),
      reasonOf(approval(), create(views.UserSchema, { id: 'u', revision: 2, active: false }), 0),
      reasonOf({ ...approval(), status: views.ApprovalStatus.APPROVED }, user, 0),
      reasonOf(approval(day), user, day),
      reasonOf(approval(day), user, day - 1),
    ]).toEqual(['no_user', 'no_user', 'settled', 'expired', 1]);
  });

  test('is not taken from its end on, nor without an end', () => {
    const expiresAt = timestampFromMs(5);
    expect([isLinkOver({ expiresAt }, 4), isLinkOver({ expiresAt }, 5), isLinkOver({}, 0)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('has a form, and is known by a digest that does not hold it', () => {
    const text = linkText(new Uint8Array(32).fill(7));
    expect([isLinkText(text), isLinkText(`${text}A`), isLinkText(text.slice(1)), isLinkText('')]).toEqual([
      ...[true, false, false, false],
    ]);
    expect(linkDigestOf(text)).toMatch(/^[0-9a-f]{64}$/);
  });
});
