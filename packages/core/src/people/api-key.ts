// An API key: the fold of its stream. The id is made from the key's digest, so that whoever is shown a key finds it, and the key itself
// is nowhere.
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { create, views } from '@stopgo/proto';
import { type Fact, fact, type NotOfPeople, type RecordedFact } from '../events/facts.ts';
import { sha256Hex, uuidFrom } from '../text/digest.ts';
import { DomainError, invalidArgument } from '../text/errors.ts';
import { type Scope, scopes } from './principal.ts';
import { checkPersonName, notedForMs } from './user.ts';

/** What all API keys begin with, so that people and scanners know one when they see it. */
export const apiKeyPrefix = 'sgo_';

/** Characters of a key that are kept, by which people know it again: the beginning, and four of the 43 that are random. */
const shownCharacters = apiKeyPrefix.length + 4;

const keyForm = /^sgo_[A-Za-z0-9_-]{43}$/;

/** True for a text in the form of a key, whether or not there is such a one. */
export const isApiKey = (text: string): boolean => keyForm.test(text);

/** The text of a key from 32 random bytes. */
export const apiKeyText = (random: Uint8Array): string => apiKeyPrefix + Buffer.from(random).toString('base64url');

/** The id of the key of this text. */
export const apiKeyIdOf = (text: string): string => uuidFrom('apikey', sha256Hex(text));

/** No such key yet. */
export const noApiKey = (id: string): views.ApiKey => create(views.ApiKeySchema, { id });

/** A key after one more event of its stream. Other facts change nothing but the revision. */
export function evolveApiKey(before: views.ApiKey, { fact: one, revision, time }: RecordedFact): views.ApiKey {
  const key = create(views.ApiKeySchema, { ...before, revision });
  switch (one.case) {
    case 'apiKeyIssued': {
      const { userId, name, prefix, scopes: allowed, expiresAt, given } = one.value;
      key.userId = userId;
      key.name = name;
      key.prefix = prefix;
      key.scopes = [...allowed];
      key.given = given;
      key.createdAt = timestampFromMs(time);
      if (expiresAt !== undefined) key.expiresAt = expiresAt;
      return key;
    }
    case 'apiKeyRevoked':
      key.revokedAt ??= timestampFromMs(time);
      return key;
    case 'apiKeyUsed':
      key.lastUsedAt = timestampFromMs(time);
      return key;
    default:
      one.case satisfies NotOfPeople | 'userCreated' | 'userChanged' | 'userSignedIn';
      return key;
  }
}

/** Why a key is not taken; undefined if it is. */
export function keyProblem(key: views.ApiKey, now: number): 'unknown' | 'revoked' | 'expired' | undefined {
  if (key.revision === 0) return 'unknown';
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && timestampMs(key.expiresAt) <= now ? 'expired' : undefined;
}

/** What a key is to be for. */
export type NewApiKey = {
  /** Empty for the key that the first user is made with. */
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; undefined: it does not expire. */
  readonly expiresAt: number | undefined;
  /** Somebody else makes it for the user, and may keep its text. */
  readonly given?: boolean;
};

/** Makes a key of this text. @throws DomainError `invalid_argument` for a name, scopes or a time that are none. */
export function issueApiKey(text: string, made: NewApiKey, now: number): readonly Fact[] {
  const unknown = made.scopes.find((scope) => !scopes.includes(scope as Scope));
  if (unknown !== undefined)
    throw invalidArgument(`scopes: there is no ${JSON.stringify(unknown)}; use some of ${scopes.join(', ')}`, {
      field: 'scopes',
    });
  if (made.expiresAt !== undefined && made.expiresAt <= now)
    throw invalidArgument('expires_at must be in the future', { field: 'expires_at' });
  return [
    fact('apiKeyIssued', {
      keyId: apiKeyIdOf(text),
      userId: made.userId,
      name: checkPersonName(made.name),
      prefix: text.slice(0, shownCharacters),
      sha256: sha256Hex(text),
      scopes: [...new Set(made.scopes)],
      given: made.given ?? false,
      ...(made.expiresAt === undefined ? {} : { expiresAt: timestampFromMs(made.expiresAt) }),
    }),
  ];
}

/** Ends a key; nothing, if it has ended. @throws DomainError `not_found`. */
export function revokeApiKey(key: views.ApiKey): readonly Fact[] {
  if (key.revision === 0) throw new DomainError('not_found', `there is no API key ${key.id}`);
  return key.revokedAt === undefined ? [fact('apiKeyRevoked', {})] : [];
}

/** Notes that a key was taken; nothing, if that was noted within the last hour, or it is not taken. */
export const noteKeyUse = (key: views.ApiKey, now: number): readonly Fact[] =>
  keyProblem(key, now) === undefined && isUseStale(key, now) ? [fact('apiKeyUsed', {})] : [];

/** Whether a use of a key says more than the record has. */
export const isUseStale = ({ lastUsedAt }: views.ApiKey, now: number): boolean =>
  lastUsedAt === undefined || timestampMs(lastUsedAt) + notedForMs <= now;

/** The scopes of a key as they restrict its user; undefined: not at all. Scopes that this program does not know allow nothing. */
export const scopesOf = ({ scopes: given }: views.ApiKey): readonly Scope[] | undefined =>
  given.length === 0 ? undefined : scopes.filter((scope) => given.includes(scope));
