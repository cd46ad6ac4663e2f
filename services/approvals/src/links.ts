// Links that decide. One is spent by the append that decides with it, which carries the link's key: so a crash loses no decision, and no
// link decides twice.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  conversationStream,
  DomainError,
  type FactOf,
  failedPrecondition,
  type IdempotencyKey,
  invalidArgument,
  isLinkOver,
  isUuid,
  linkDigestOf,
  linkKey,
  linkStream,
  makeLink as make,
  notFound,
  noUser,
  permissionDenied,
  type RecordedFact,
} from '@stopgo/core';
import { changeSmall, clientKey, storeLog } from '@stopgo/log';
import type { approvals as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import type { ApprovalsDependencies } from './dependencies.ts';

const digestForm = /^[0-9a-f]{64}$/;

/** Makes a link for a user, of which the caller alone has the text. Made twice it is the same one. */
export async function makeLink(
  given: ApprovalsDependencies,
  { approvalId, userId, digest }: wire.MakeLinkRequest,
  { peerInternal, signal }: CallContext,
) {
  if (!peerInternal) throw permissionDenied('only the platform makes links: whoever has one decides as its user');
  if (given.hasSignIn !== true)
    throw failedPrecondition(
      'nobody signs in here, so a link could decide as nobody: set "auth" in the configuration',
      { reason: 'no_sign_in' },
    );
  if (!digestForm.test(digest)) throw invalidArgument('the digest of a link is a SHA-256 in hex');
  const { approval } = isUuid(approvalId) ? await given.store.getApproval({ approvalId }) : {};
  if (approval === undefined) throw notFound(`there is no approval ${approvalId.slice(0, 100)}`);
  const { user = noUser(userId) } = await given.store.getPerson({ by: { case: 'userId', value: userId } });
  const facts = make(approval, user, given.clock.now());
  const stream = { name: linkStream(digest), load: (ends: AbortSignal) => linkState(given, digest, ends), evolve };
  const platform = { kind: 'system', id: given.instance } as const;
  const decide = ({ made }: LinkState) => (made === undefined ? facts : []);
  const ports = { ...given, log: storeLog(given.store) };
  const { state } = await changeSmall(ports, stream, unmade, platform, decide, signal);
  const { made } = state;
  if (made?.approvalId !== approvalId || made.userId !== userId)
    throw failedPrecondition('there is such a link already, of something else', { reason: 'link' });
  return made.expiresAt === undefined ? {} : { expiresAt: made.expiresAt };
}

type LinkState = { readonly revision: number; readonly made?: FactOf<'linkMade'> };

const unmade: LinkState = { revision: 0 };

const evolve = (before: LinkState, { fact, revision }: RecordedFact): LinkState =>
  fact.case === 'linkMade' ? { revision, made: fact.value } : { ...before, revision };

async function linkState({ store }: ApprovalsDependencies, digest: string, signal: AbortSignal): Promise<LinkState> {
  let state = unmade;
  for await (const event of storeLog(store).read(linkStream(digest), 1, signal)) state = evolve(state, event);
  return state;
}

/** What a link is for, and whether it is spent. */
export async function lookUpLink(
  given: ApprovalsDependencies,
  { digest }: wire.LookUpLinkRequest,
  { peerInternal, signal }: CallContext,
) {
  if (!peerInternal) throw permissionDenied('only the gateway looks links up');
  const { approvalId, conversationId, userId, expiresAt } = await linkOf(given, digest, signal);
  const spentAt = await whenSpent(given, conversationId, digest, signal);
  return {
    ...{ approvalId, conversationId, userId },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(spentAt === undefined ? {} : { spentAt: timestampFromMs(spentAt) }),
  };
}

/**
 * The key under which a link decides, once it is clear that it may: it is of this approval, and of the user who acts. Each request has a
 * digest of its own under the same key, so that all but the one that decided are told that the link is spent.
 *
 * @throws DomainError `not_found`, `permission_denied` with reason=link, `failed_precondition` with reason=link_expired.
 */
export async function keyOfLink(
  given: ApprovalsDependencies,
  { link, approvalId }: wire.ResolveRequest,
  { principal, signal }: CallContext,
): Promise<IdempotencyKey | undefined> {
  if (link === '') {
    if (principal.kind === 'user' && principal.via === 'link') throw notOfLink();
    return undefined;
  }
  const made = await linkOf(given, link, signal);
  const isOfUser = principal.kind === 'user' && principal.via === 'link' && principal.id === made.userId;
  if (!isOfUser || made.approvalId !== approvalId) throw notOfLink();
  // Whoever has used it is told that, and not that its time is over.
  if (isLinkOver(made, given.clock.now()) && (await whenSpent(given, made.conversationId, link, signal)) === undefined)
    throw failedPrecondition('the time of this link is over', { reason: 'link_expired' });
  return { key: linkKey(link), requestDigest: linkDigestOf(given.newId()) };
}

/** Says of a link that decided before what that is; any other error as it is. */
export function spentLink(error: unknown): unknown {
  return error instanceof DomainError && error.details.reason === 'idempotency_mismatch'
    ? failedPrecondition('this link has been used: it decides once', { reason: 'link_spent' })
    : error;
}

const notOfLink = (): DomainError =>
  permissionDenied('a link decides the one approval that it was made for, as the one user', { reason: 'link' });

async function linkOf(given: ApprovalsDependencies, digest: string, signal: AbortSignal): Promise<FactOf<'linkMade'>> {
  const { made } = digestForm.test(digest) ? await linkState(given, digest, signal) : unmade;
  if (made === undefined) throw notFound('there is no such link');
  return made;
}

/** When something was decided with a link, in milliseconds since 1970; undefined if nothing was. */
async function whenSpent(
  { store }: ApprovalsDependencies,
  conversationId: string,
  digest: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const log = storeLog(store);
  const key = clientKey({ key: linkKey(digest), requestDigest: '' });
  const { knownKeys } = await log.load(conversationId, [key]);
  const known = knownKeys.find((one) => one.key === key);
  if (known === undefined) return undefined;
  for await (const { time } of log.read(conversationStream(conversationId), known.firstRevision, signal)) return time;
  return undefined;
}
