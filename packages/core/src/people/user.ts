// A user: the fold of their stream. The id is made from the e-mail address, so that the log lets nobody have the same one twice.
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { create, facts, views } from '@stopgo/proto';
import { type Fact, fact, type NotOfPeople, type RecordedFact } from '../events/facts.ts';
import { emailCharactersMax, personNameCharactersMax } from '../text/bounds.ts';
import { uuidFrom } from '../text/digest.ts';
import { DomainError, invalidArgument, permissionDenied } from '../text/errors.ts';
import { visibleText } from '../text/visible.ts';
import type { Principal } from './principal.ts';
import { isAtLeast, type Role, roleFromWire, roleToWire } from './roles.ts';

/** An e-mail address as users are known by it: one address in two spellings is one user. */
export const emailOf = (text: string): string => text.trim().toLowerCase();

/** The id of the user who has this address. */
export const userIdOf = (email: string): string => uuidFrom('user', emailOf(email));

const emailForm = /^[^\s@<>()[\]\\,;:"]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Other letters have lower cases that are ours: a Kelvin sign becomes a k, and whoever has the one address would be who has the other. */
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** The address as users are known by it. @throws DomainError `invalid_argument` for what is no e-mail address in plain form. */
export function checkEmail(text: string): string {
  const email = emailOf(text);
  if (!isAscii(text.trim()) || !emailForm.test(email) || email.length > emailCharactersMax)
    throw invalidArgument(
      `email must be an e-mail address of at most ${emailCharactersMax} ASCII characters, such as ana@example.com`,
      { field: 'email' },
    );
  return email;
}

/** @throws DomainError `invalid_argument` for a name that is empty, too long or not printable. */
export function checkPersonName(text: string): string {
  const name = text.trim();
  const isPrintable = visibleText(name) === name && !/[\n\t]/.test(name);
  if (name === '' || !isPrintable || [...name].length > personNameCharactersMax)
    throw invalidArgument(`name must be 1 to ${personNameCharactersMax} printable characters`, { field: 'name' });
  return name;
}

/** Nobody yet. */
export const noUser = (id: string): views.User => create(views.UserSchema, { id });

/** A user after one more event of their stream. Other facts change nothing but the revision. */
export function evolveUser(before: views.User, { fact: one, revision, time }: RecordedFact): views.User {
  const user = create(views.UserSchema, { ...before, revision });
  switch (one.case) {
    case 'userCreated':
      user.email = one.value.email;
      user.name = one.value.name;
      user.role = one.value.role;
      user.active = true;
      user.createdAt = timestampFromMs(time);
      return user;
    case 'userChanged':
      user.name = one.value.name ?? user.name;
      user.role = one.value.role ?? user.role;
      user.active = one.value.active ?? user.active;
      return user;
    case 'userSignedIn':
      user.lastSignInAt = timestampFromMs(time);
      user.groups = [...one.value.groups];
      if (one.value.tokenIssuedAt !== undefined) user.groupsAsOf = one.value.tokenIssuedAt;
      return user;
    default:
      one.case satisfies NotOfPeople | 'apiKeyIssued' | 'apiKeyRevoked' | 'apiKeyUsed';
      return user;
  }
}

/** What a new user is to be. */
export type NewUser = { readonly email: string; readonly name: string; readonly role: Role };

/**
 * Makes a user.
 *
 * @throws DomainError `invalid_argument` for an address or a name that is none, `permission_denied` if the role is above that of who
 * makes them, `failed_precondition` if somebody has the address.
 */
export function createUser(user: views.User, made: NewUser, by: Principal): readonly Fact[] {
  const email = checkEmail(made.email);
  const name = checkPersonName(made.name);
  checkRole(by, made.role);
  if (user.revision > 0)
    throw new DomainError('failed_precondition', `there is a user with the e-mail address ${email} already`, {
      details: { reason: 'exists', field: 'email', user_id: user.id },
    });
  return [fact('userCreated', { userId: user.id, email, name, role: roleToWire(made.role) })];
}

/** What is to be new of a user; absent: it stays. */
export type UserChange = {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly active?: boolean | undefined;
};

/**
 * Changes a user; nothing, if all is so already.
 *
 * @throws DomainError `not_found`, `invalid_argument` for a name that is none, `permission_denied` if the user's role, or the new one, is
 * above that of who changes them, or if they would end their own administration.
 */
export function changeUser(user: views.User, change: UserChange, by: Principal): readonly Fact[] {
  if (user.revision === 0) throw new DomainError('not_found', `there is no user ${user.id}`);
  const role = roleFromWire(user.role);
  checkRole(by, role);
  if (change.role !== undefined) checkRole(by, change.role);
  const name = change.name === undefined ? user.name : checkPersonName(change.name);
  const active = change.active ?? user.active;
  if (by.kind === 'user' && by.id === user.id && (!active || (change.role !== undefined && change.role !== role)))
    throw permissionDenied('you cannot deactivate yourself or change your own role; have another administrator do it');
  const changed = {
    ...(name === user.name ? {} : { name }),
    ...(change.role === undefined || change.role === role ? {} : { role: roleToWire(change.role) }),
    ...(active === user.active ? {} : { active }),
  };
  return Object.keys(changed).length === 0 ? [] : [fact('userChanged', changed)];
}

/**
 * Only a super administrator makes administrators, or changes them.
 *
 * @throws DomainError `permission_denied`.
 */
export function checkRole(by: Principal, role: Role): void {
  if (by.kind === 'setup' && role === 'SUPER_ADMIN') return;
  if (by.kind === 'user' && by.role === 'SUPER_ADMIN') return;
  if (by.kind === 'user' && by.role === 'ADMIN' && !isAtLeast(role, 'ADMIN')) return;
  if (by.kind === 'anonymous') return;
  if (by.kind === 'setup')
    throw permissionDenied('the first user must have the role SUPER_ADMIN; this key makes no other');
  throw permissionDenied(`your role does not allow this: only a SUPER_ADMIN changes who is ${role}`);
}

/** What a token says of who presents it. */
export type SignIn = {
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  /**
   * When the token was issued, in milliseconds since 1970; undefined: it does not say so. Then nobody can tell whether its groups are older
   * than those on the record, so none of them are noted.
   */
  readonly issuedAt?: number | undefined;
};

/** How long a recorded sign-in, or use of a key, stands for those that follow, in milliseconds. */
export const notedForMs = 3_600_000;

/**
 * Notes that a user's token was taken, and makes the user if they are not known and may be made. Nothing of somebody who is not known,
 * or not active, nothing if that was noted within the last hour and the groups are the same, and nothing if a later token was noted, or one that
 * says when it was issued and this one does not: groups that somebody has lost do not come back with an old one.
 */
export function signIn(user: views.User, said: SignIn, mayCreate: boolean, now: number): readonly Fact[] {
  const { issuedAt } = said;
  // What is issued in the future is so by another clock, and must not keep later tokens from being noted.
  const tokenIssuedAt = issuedAt === undefined ? {} : { tokenIssuedAt: timestampFromMs(Math.min(issuedAt, now)) };
  const signedIn = fact('userSignedIn', { groups: [...notedGroups(said)], ...tokenIssuedAt });
  if (user.revision === 0) {
    if (!mayCreate) return [];
    const email = checkEmail(said.email);
    const name = nameOrAddress(said.name, email);
    const role = facts.UserRole.USER;
    return [fact('userCreated', { userId: user.id, email, name, role, atSignIn: true }), signedIn];
  }
  if (!user.active || !isSignInStale(user, said, now)) return [];
  return [signedIn];
}

/** Whether a sign-in of a user says more than the record has. */
export function isSignInStale(user: views.User, said: Pick<SignIn, 'groups' | 'issuedAt'>, now: number): boolean {
  const { lastSignInAt, groupsAsOf } = user;
  if (groupsAsOf !== undefined && (said.issuedAt === undefined || said.issuedAt < timestampMs(groupsAsOf)))
    return false;
  const groups = notedGroups(said);
  if (lastSignInAt === undefined || Number(lastSignInAt.seconds) * 1_000 + notedForMs <= now) return true;
  return groups.length !== user.groups.length || groups.some((group, index) => group !== user.groups[index]);
}

const notedGroups = ({ groups, issuedAt }: Pick<SignIn, 'groups' | 'issuedAt'>): readonly string[] =>
  issuedAt === undefined ? [] : groups;

/**
 * The groups of a user as they count for an API key of theirs: those of the last recorded sign-in, for so long after it. None for a key
 * that somebody else made, who may have kept it.
 *
 * @param forMs - 0: never.
 */
export function groupsOfKey(
  { given }: Pick<views.ApiKey, 'given'>,
  { groups, lastSignInAt }: views.User,
  forMs: number,
  now: number,
): readonly string[] {
  return !given && lastSignInAt !== undefined && now < timestampMs(lastSignInAt) + forMs ? groups : [];
}

function nameOrAddress(name: string, email: string): string {
  try {
    return checkPersonName(name);
  } catch {
    return email;
  }
}
