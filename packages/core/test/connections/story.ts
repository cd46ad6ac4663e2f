import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Connection,
  connectionStream,
  evolveConnection,
  type Fact,
  fact,
  noConnection,
  type RecordedFact,
} from '@stopgo/core';

const connection = {
  ...{ user: 'user:ann', server: 'notes', issuer: 'https://login.example', scopes: ['read', 'write'] },
  ...{ sealed: new Uint8Array([1, 2, 3]), keyId: 'key-1', expiresAt: timestampFromMs(60_000) },
};
const later = { ...connection, connectedRevision: 1, connectedAt: timestampFromMs(0) };

const facts: readonly Fact[] = [
  fact('accountConnected', { connection }),
  fact('tokenRefreshBegun', { connection: later, instance: 'bridge-1' }),
  fact('tokensRefreshed', {
    connection: { ...later, sealed: new Uint8Array([4]), expiresAt: timestampFromMs(90_000) },
  }),
  fact('accountDisconnected', { user: 'user:ann', server: 'notes', reason: 'login.example refused' }),
  fact('accountConnected', { connection: { ...connection, keyId: 'key-2' } }),
  fact('accountDisconnected', { user: 'user:ann', server: 'notes' }),
];

/** The stream of one account, with every kind of event. */
export const toldOfAccounts = (): readonly RecordedFact[] =>
  facts.map((one, index) => ({
    ...{ stream: connectionStream('user:ann', 'notes'), revision: index + 1, eventId: '', time: 1_000 * index },
    ...{ causationId: '', correlationId: '', actor: { kind: 'system', id: 'bridge-1' } as const, fact: one },
  }));

/** What the code makes of the events so far. */
export class AccountFold {
  connection: Connection = noConnection;

  /** The account after an event, as plain data. */
  add(event: RecordedFact): unknown {
    this.connection = evolveConnection(this.connection, event);
    const { account, ...rest } = this.connection;
    return account === undefined ? rest : { ...rest, account: { ...account, sealed: [...account.sealed] } };
  }
}
