// What is known of a user's account at a tool server: the latest event of its stream says all of it.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { facts as wire } from '@stopgo/proto';
import type { RecordedFact } from '../events/facts.ts';

/** An account that is connected. Its tokens are sealed. */
export type ConnectedAccount = {
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** When the access token ends, in milliseconds since 1970; absent: it was not said. */
  readonly expiresAt?: number;
  readonly sealed: Uint8Array;
  readonly keyId: string;
  /** Revision of the event that connected it. */
  readonly connectedRevision: number;
  /** Milliseconds since 1970. */
  readonly connectedAt: number;
  /** A bridge that is spending the refresh token, and since when, in milliseconds since 1970. */
  readonly refreshing?: { readonly instance: string; readonly since: number };
};

/** How a user's account at a server is. */
export type Connection = {
  readonly revision: number;
  readonly account?: ConnectedAccount;
  /** Why it was disconnected, if its user did not say so. */
  readonly problem?: string;
  /** Revision of the event that connected or disconnected it last; 0: none did. What was begun before is over then. */
  readonly turnedAt: number;
};

/** No account was ever connected. */
export const noConnection: Connection = { revision: 0, turnedAt: 0 };

/** The account after one more event of its stream, of which the ones before need not be known. Other facts change nothing but the revision. */
export function evolveConnection(before: Connection, { fact, revision, time }: RecordedFact): Connection {
  switch (fact.case) {
    case 'accountConnected': {
      const account = accountOf(fact.value.connection, { connectedRevision: revision, connectedAt: time });
      return { revision, account, turnedAt: revision };
    }
    case 'tokensRefreshed': {
      const account = accountOf(fact.value.connection);
      return { revision, account, turnedAt: account.connectedRevision };
    }
    case 'tokenRefreshBegun': {
      const account = accountOf(fact.value.connection);
      const refreshing = { instance: fact.value.instance, since: time };
      return { revision, account: { ...account, refreshing }, turnedAt: account.connectedRevision };
    }
    case 'accountDisconnected': {
      const { reason } = fact.value;
      return { revision, turnedAt: revision, ...(reason === '' ? {} : { problem: reason }) };
    }
    default:
      return { ...before, revision };
  }
}

function accountOf(
  recorded: wire.Connection | undefined,
  connected: Partial<Pick<ConnectedAccount, 'connectedRevision' | 'connectedAt'>> = {},
): ConnectedAccount {
  const { issuer = '', scopes = [], expiresAt, sealed = new Uint8Array(), keyId = '' } = recorded ?? {};
  return {
    ...{ issuer, scopes, sealed, keyId },
    ...(expiresAt === undefined ? {} : { expiresAt: timestampMs(expiresAt) }),
    connectedRevision: connected.connectedRevision ?? recorded?.connectedRevision ?? 0,
    connectedAt: connected.connectedAt ?? (recorded?.connectedAt === undefined ? 0 : timestampMs(recorded.connectedAt)),
  };
}
