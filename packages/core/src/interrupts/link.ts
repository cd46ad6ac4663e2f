// A link with which one user decides one approval, once. It is known by the digest of its text; the text is on no record.
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { views } from '@stopgo/proto';
import { type Fact, type FactOf, fact } from '../events/facts.ts';
import { demandFromWire } from '../state/demand.ts';
import { linkLastsMsMax } from '../text/bounds.ts';
import { sha256Hex } from '../text/digest.ts';
import { failedPrecondition } from '../text/errors.ts';

/** What all links begin with, so that people and filters of secrets know one when they see it. */
const linkPrefix = 'sgl_';

const linkForm = /^sgl_[A-Za-z0-9_-]{43}$/;

/** True for a text in the form of a link's, whether or not there is such a one. */
export const isLinkText = (text: string): boolean => linkForm.test(text);

/** The text of a link from 32 random bytes. */
export const linkText = (random: Uint8Array): string => linkPrefix + Buffer.from(random).toString('base64url');

/** What the link of this text is known by. */
export const linkDigestOf = (text: string): string => sha256Hex(text);

/**
 * The idempotency key of what is decided with a link. The append that decides carries it, so the log itself lets a link decide once. It
 * holds a blank, which the keys of clients never do: nobody spends a link by sending its key.
 */
export const linkKey = (digest: string): string => `link ${digest}`;

/**
 * Makes a link for one user and one approval. It lasts as long as the approval can be decided, `linkLastsMsMax` at most.
 *
 * @throws DomainError `failed_precondition` with reason=no_user for a user who is not there or not active, reason=settled or expired
 * for an approval that is not to be decided any more.
 */
export function makeLink(approval: views.Approval, user: views.User, now: number): readonly Fact[] {
  if (user.revision === 0 || !user.active)
    throw failedPrecondition(`there is no active user ${user.id} to make a link for`, { reason: 'no_user' });
  if (approval.status !== views.ApprovalStatus.PENDING)
    throw failedPrecondition(`approval ${approval.id} is settled: there is nothing to decide`, { reason: 'settled' });
  const expires = demandFromWire(approval)?.expires;
  const end = expires?.verdict === 'reject' ? expires.at : Number.POSITIVE_INFINITY;
  if (end <= now)
    throw failedPrecondition(`the time of approval ${approval.id} is over: there is nothing to decide`, {
      reason: 'expired',
    });
  return [
    fact('linkMade', {
      ...{ approvalId: approval.id, conversationId: approval.conversationId, userId: user.id },
      expiresAt: timestampFromMs(Math.min(end, now + linkLastsMsMax)),
    }),
  ];
}

/** Whether a link is not taken any more because of the time. One without an end, which nobody makes, is not taken. */
export const isLinkOver = ({ expiresAt }: Pick<FactOf<'linkMade'>, 'expiresAt'>, now: number): boolean =>
  expiresAt === undefined || timestampMs(expiresAt) <= now;
