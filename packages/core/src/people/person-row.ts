// What the views keep of a user or of an API key: one row for each of their streams.
import { fromBinary, toBinary, views } from '@stopgo/proto';
import type { RecordedFact } from '../events/facts.ts';
import { apiKeyOfStream, type StreamName, userOfStream } from '../events/ids.ts';
import { evolveApiKey, noApiKey } from './api-key.ts';
import { evolveUser, noUser } from './user.ts';

/** The row of a stream of people. */
export type PersonRow = {
  /** `api_key` of a user; empty for the key that the first user is made with, and for users themselves. */
  readonly kind: 'user' | 'api_key';
  readonly ofUser: string;
  readonly revision: number;
  /** A `views.User` or `views.ApiKey`. */
  readonly bytes: Uint8Array;
};

/** True for a stream whose row this is about. */
export const isPersonStream = (stream: string): boolean =>
  userOfStream(stream) !== undefined || apiKeyOfStream(stream) !== undefined;

/** The row after some more events of a stream of people; `before`: the bytes of its row, undefined if it has none. */
export function personRow(
  stream: StreamName,
  before: Uint8Array | undefined,
  events: readonly RecordedFact[],
): PersonRow {
  const keyId = apiKeyOfStream(stream);
  if (keyId === undefined) {
    const known = before === undefined ? noUser(userOfStream(stream) ?? '') : fromBinary(views.UserSchema, before);
    const user = events.reduce(evolveUser, known);
    return { kind: 'user', ofUser: '', revision: user.revision, bytes: toBinary(views.UserSchema, user) };
  }
  const known = before === undefined ? noApiKey(keyId) : fromBinary(views.ApiKeySchema, before);
  const key = events.reduce(evolveApiKey, known);
  return {
    kind: 'api_key',
    ofUser: key.userId,
    revision: key.revision,
    bytes: toBinary(views.ApiKeySchema, key),
  };
}
