import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { type Actor, type ConnectedAccount, type Connection, fact, failedPrecondition } from '@stopgo/core';
import type { Sealer } from '@stopgo/security';
import { AccountKeys } from './account-keys.ts';
import { AccountRecord, type RecordPorts } from './account-record.ts';
import type { OauthServer } from './oauth-server.ts';
import { AccountSealer, type AccountSecrets } from './sealed-account.ts';

/** What is sealed with. */
export type Sealing = { readonly sealer: Sealer; readonly randomBytes: (length: number) => Uint8Array };

/** What the book is kept with. */
export type BookPorts = RecordPorts & {
  /** The id of this bridge. */
  readonly instance: () => string;
  /** Seals keys, and what goes through browsers; absent: no account can be connected here. */
  readonly sealing: Sealing | undefined;
};

type AccountAt = Pick<OauthServer, 'name' | 'url'>;

/** The accounts on the record, with their keys, and their secrets while they are used here. */
export class AccountBook {
  readonly #ports: BookPorts;
  readonly #records = new Map<string, AccountRecord>();
  readonly #opened = new Map<string, { readonly revision: number; readonly secrets: AccountSecrets }>();

  constructor(ports: BookPorts) {
    this.#ports = ports;
  }

  /** The key goes first: whoever dies in between leaves tokens that nobody can open. */
  async end(user: string, server: string, reason: string, actor: Actor, onlyAt?: number): Promise<void> {
    this.#opened.delete(placeKey(user, server));
    const record = this.record(user, server);
    const { account } = await record.load();
    if (account !== undefined && (onlyAt === undefined || account.connectedRevision === onlyAt))
      await this.keys().destroy(account.keyId);
    await record.change(actor, ({ account: left }) =>
      left === undefined || (onlyAt !== undefined && left.connectedRevision !== onlyAt)
        ? []
        : [fact('accountDisconnected', { user, server, reason })],
    );
  }

  /** Undefined if its key is gone, or it was connected at another address: its user connects it anew. */
  async secrets(
    user: string,
    server: AccountAt,
    { revision, account }: Connection,
  ): Promise<AccountSecrets | undefined> {
    if (account === undefined) return undefined;
    const place = placeKey(user, server.name);
    const known = this.#opened.get(place);
    if (known !== undefined && known.revision === revision) return known.secrets;
    const key = await this.keys().read(account.keyId);
    if (key === undefined) return undefined;
    const secrets = this.accountSealer(user, server, key).open(account.sealed);
    if (secrets !== undefined) this.#opened.set(place, { revision, secrets });
    return secrets;
  }

  told(tokens: OAuthTokens, asked: readonly string[]) {
    const { scope, expires_in: seconds } = tokens;
    const scopes = (scope?.split(' ') ?? asked).filter((one) => one !== '');
    return {
      scopes: [...scopes],
      ...(seconds === undefined ? {} : { expiresAt: timestampFromMs(this.#ports.clock.now() + seconds * 1_000) }),
    };
  }

  record(user: string, server: string): AccountRecord {
    const key = placeKey(user, server);
    const record = this.#records.get(key) ?? new AccountRecord(user, server, this.#ports);
    this.#records.set(key, record);
    return record;
  }

  sealing(): Sealing {
    const { sealing } = this.#ports;
    if (sealing !== undefined) return sealing;
    throw failedPrecondition(
      'accounts cannot be connected here: the bridge has no key to seal tokens with; set STOPGO_ACCOUNT_KEY for it',
    );
  }

  keys(): AccountKeys {
    return new AccountKeys({ ...this.#ports, ...this.sealing() });
  }

  accountSealer(user: string, { name, url }: AccountAt, key: Uint8Array): AccountSealer {
    return new AccountSealer(key, { user, server: name, url }, this.sealing().randomBytes);
  }

  self(): Actor {
    return { kind: 'system', id: this.#ports.instance() };
  }
}

/** What the record says of an account, as it is. */
export function recordedOf(user: string, server: string, account: ConnectedAccount) {
  const { issuer, scopes, expiresAt, sealed, keyId, connectedRevision, connectedAt } = account;
  return {
    ...{ user, server, issuer, scopes: [...scopes], sealed, keyId, connectedRevision },
    connectedAt: timestampFromMs(connectedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) }),
  };
}

/** Tells one account from all others. */
export const placeKey = (user: string, server: string): string => JSON.stringify([user, server]);
