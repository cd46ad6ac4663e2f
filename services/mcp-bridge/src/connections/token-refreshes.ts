import { OAuthError } from '@modelcontextprotocol/client';
import { type ConnectedAccount, type Connection, fact } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import type { BridgeBounds } from '../bounds.ts';
import { type AccountBook, placeKey, recordedOf } from './account-book.ts';
import { refresh, revoke } from './authorization-server.ts';
import { hostOf, isOver, kindOf, type OauthServer, withClient } from './oauth-server.ts';
import type { AccountSecrets } from './sealed-account.ts';

/** The token for a call, or why there is none. */
export type AccountToken =
  | { readonly kind: 'token'; readonly text: string }
  /** Its user has to connect the account. */
  | { readonly kind: 'none' }
  /** There is one, and now it cannot be had: in words for people. */
  | { readonly kind: 'away'; readonly reason: string };

/** What refreshing needs. */
export type RefreshPorts = {
  readonly clock: Clock;
  readonly instance: () => string;
  readonly bounds: Pick<BridgeBounds, 'refreshLapseMs' | 'refreshLookMs'>;
  /** Is told why no token was to be had. */
  readonly onAway: (reason: string) => void;
};

export const none: AccountToken = { kind: 'none' };

/** Refreshes tokens: each refresh token is spent once, whichever bridge does. */
export class TokenRefreshes {
  readonly #book: AccountBook;
  readonly #ports: RefreshPorts;
  readonly #refreshing = new Map<string, Promise<AccountToken>>();

  constructor(book: AccountBook, ports: RefreshPorts) {
    this.#book = book;
    this.#ports = ports;
  }

  /** One at a time here; what other bridges do shows on the record. */
  token(user: string, server: OauthServer, used: string): Promise<AccountToken> {
    const key = placeKey(user, server.name);
    const under = this.#refreshing.get(key);
    if (under !== undefined) return under;
    const work = this.#refresh(user, server, used).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, work);
    return work;
  }

  async #refresh(user: string, server: OauthServer, used: string): Promise<AccountToken> {
    const { clock, bounds, instance } = this.#ports;
    const record = this.#book.record(user, server.name);
    for (;;) {
      const now = await record.load();
      const { account } = now;
      if (account === undefined) return none;
      const secrets = await this.#book.secrets(user, server, now);
      if (secrets === undefined) return none;
      // Somebody was faster.
      if (secrets.accessToken !== used) return { kind: 'token', text: secrets.accessToken };
      const { refreshing } = account;
      if (refreshing !== undefined && clock.now() < refreshing.since + bounds.refreshLapseMs) {
        await clock.sleep(bounds.refreshLookMs);
        continue;
      }
      if (secrets.refreshToken === undefined) {
        await this.#book.end(
          user,
          server.name,
          'its token is over, and none was given to refresh it with',
          this.#book.self(),
          account.connectedRevision,
        );
        return none;
      }
      const { revision } = now;
      const claim = await record.change(this.#book.self(), (at) =>
        at.revision === revision
          ? [fact('tokenRefreshBegun', { connection: recordedOf(user, server.name, account), instance: instance() })]
          : [],
      );
      if (claim.isChanged) return this.#spend(user, server, account, secrets, secrets.refreshToken);
    }
  }

  async #spend(
    user: string,
    server: OauthServer,
    account: ConnectedAccount,
    secrets: AccountSecrets,
    refreshToken: string,
  ): Promise<AccountToken> {
    const record = this.#book.record(user, server.name);
    const isOurs = ({ account: at }: Connection) => at?.connectedRevision === account.connectedRevision;
    try {
      const tokens = await refresh(withClient(server, secrets), refreshToken, server.fetch);
      const next: AccountSecrets = {
        ...secrets,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? refreshToken,
      };
      const key = await this.#book.keys().read(account.keyId);
      if (key === undefined) return none;
      const sealed = this.#book.accountSealer(user, server, key).seal(next);
      const { state } = await record.change(this.#book.self(), (now) =>
        isOurs(now)
          ? [
              fact('tokensRefreshed', {
                connection: {
                  ...recordedOf(user, server.name, account),
                  ...this.#book.told(tokens, account.scopes),
                  sealed,
                },
              }),
            ]
          : [],
      );
      if (isOurs(state)) return { kind: 'token', text: next.accessToken };
      await revoke(withClient(server, next), server.fetch);
      return none;
    } catch (error) {
      if (error instanceof OAuthError && isOver(error)) {
        const reason = `${hostOf(account.issuer)} refused to refresh its tokens (${error.code})`;
        await this.#book.end(user, server.name, reason, this.#book.self(), account.connectedRevision);
        return none;
      }
      const reason = `no token for the server "${server.name}" was to be had at ${hostOf(account.issuer)} (${kindOf(error)})`;
      this.#ports.onAway(reason);
      // Whoever comes next tries again at once.
      await record
        .change(this.#book.self(), (now) =>
          isOurs(now) && now.account?.refreshing?.instance === this.#ports.instance()
            ? [fact('tokensRefreshed', { connection: recordedOf(user, server.name, account) })]
            : [],
        )
        .catch(() => undefined);
      return { kind: 'away', reason };
    }
  }
}
