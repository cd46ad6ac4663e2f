// The accounts that users have connected at tool servers, and their tokens:
//
// 1. A token is used for calls of its user at its server, and is nowhere in clear but in memory and in those requests.
// 2. The record is looked at before each use: what was disconnected anywhere is used nowhere any more.
// 3. A refresh token is spent once. Whoever is about to spend it says so on the record first, and the log lets one do that.
// 4. Each account has a key of its own, beside the log. With the key its tokens are gone, wherever their sealed form stays.

import { type Actor, type Connection, fact, failedPrecondition, notFound, permissionDenied } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { AccountBook, type BookPorts } from './account-book.ts';
import {
  authorizationOf,
  type CameBack,
  exchange,
  findAgain,
  findAuthorizationServer,
  issuerOf,
  register,
  revoke,
} from './authorization-server.ts';
import { type Begun, openBegun, sealBegun } from './begun.ts';
import {
  asked,
  type OauthPorts,
  type OauthServer,
  oauthServer,
  withClient,
  withoutConfigured,
} from './oauth-server.ts';
import type { AccountSecrets } from './sealed-account.ts';
import { type AccountToken, none, type RefreshPorts, TokenRefreshes } from './token-refreshes.ts';

/** What accounts need. */
export type AccountPorts = BookPorts &
  OauthPorts &
  RefreshPorts & {
    readonly bounds: Pick<BridgeBounds, 'connectMs'>;
  };

/** The accounts of all users at the servers of the configuration. */
export class Accounts {
  readonly #ports: AccountPorts;
  readonly #servers: ReadonlyMap<string, OauthServer>;
  readonly #book: AccountBook;
  readonly #refreshes: TokenRefreshes;

  constructor(servers: readonly McpServerConfig[], ports: AccountPorts) {
    this.#ports = ports;
    this.#book = new AccountBook(ports);
    this.#refreshes = new TokenRefreshes(this.#book, ports);
    this.#servers = new Map(servers.flatMap((server) => oauthServer(server, ports)).map((one) => [one.name, one]));
  }

  /** Names of the servers at which accounts are connected, in the order of the configuration. */
  get servers(): readonly string[] {
    return [...this.#servers.keys()];
  }

  /** How a user's account at a server is. @throws DomainError `not_found`, `unavailable` */
  async stateOf(user: string, server: string): Promise<Connection> {
    return this.#book.record(user, this.#server(server).name).load();
  }

  /** The token for a call of this user. @throws DomainError `unavailable` if the log does not answer. */
  async token(user: string, server: string): Promise<AccountToken> {
    const now = await this.#book.record(user, server).load();
    if (now.account === undefined) return none;
    const secrets = await this.#book.secrets(user, this.#server(server), now);
    if (secrets === undefined) return none;
    const { expiresAt } = now.account;
    const isOver = expiresAt !== undefined && this.#ports.clock.now() >= expiresAt;
    return isOver
      ? this.#refreshes.token(user, this.#server(server), secrets.accessToken)
      : { kind: 'token', text: secrets.accessToken };
  }

  /** Another token than this one, which the server has refused. @throws as {@link token}. */
  async renewed(user: string, server: string, refused: string): Promise<AccountToken> {
    return this.#refreshes.token(user, this.#server(server), refused);
  }

  /**
   * Begins to connect an account: gives the address for its user to open.
   *
   * @throws DomainError that says in words of ours why it cannot be.
   */
  async begin(
    user: string,
    serverName: string,
    redirectUri: string,
  ): Promise<{ readonly url: string; readonly until: number }> {
    const server = this.#server(serverName);
    const { clock, bounds } = this.#ports;
    const { sealer } = this.#book.sealing();
    const { turnedAt } = await this.#book.record(user, server.name).load();
    const found = await asked(server, () => findAuthorizationServer(server.wanted, server.fetch));
    const client = await asked(server, async () => server.clientOf() ?? register(found, redirectUri, server.fetch));
    const { url, codeVerifier } = await asked(server, () => authorizationOf(found, client, redirectUri));
    const until = clock.now() + bounds.connectMs;
    const { resource, scope } = found;
    const begun: Begun = {
      ...{ user, server: server.name, redirectUri, codeVerifier, client: withoutConfigured(server, client) },
      ...{ authorizationServer: found.url, resource, scope, turnedAt, until },
    };
    url.searchParams.set('state', sealBegun(begun, sealer));
    return { url: url.href, until };
  }

  /**
   * Connects the account with what its user came back with; gives the name of the server.
   *
   * @throws DomainError as {@link begin}; `permission_denied` if somebody else began it.
   */
  async finish(
    user: string,
    state: string,
    came: CameBack & { readonly error: string },
    actor: Actor,
  ): Promise<string> {
    const { clock } = this.#ports;
    const begun = openBegun(state, this.#book.sealing().sealer, clock.now());
    if (begun === undefined) throw over('This was not begun here, or has taken longer than 10 minutes');
    if (begun.user !== user)
      throw permissionDenied('somebody else began to connect this account; sign in as the one who did, or begin anew');
    const server = this.#server(begun.server);
    const record = this.#book.record(user, server.name);
    const unused = (now: Connection) => {
      if (now.turnedAt !== begun.turnedAt) throw over('This has been used already, or the account was changed since');
    };
    unused(await record.load());
    if (came.error !== '' || came.code === '')
      throw failedPrecondition(`the account at ${server.name} was not connected: ${refusalOf(came.error)}`, {
        reason: 'refused',
      });
    const given = { ...begun, client: server.clientOf() ?? begun.client };
    const { metadata, tokens } = await asked(server, async () => {
      const found = await findAgain(begun.authorizationServer, server.wanted, server.fetch);
      return { metadata: found, tokens: await exchange(given, came, found, server.fetch) };
    });
    const secrets: AccountSecrets = {
      accessToken: tokens.access_token,
      ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
      client: begun.client,
      issuer: issuerOf(begun.authorizationServer, metadata),
      resource: begun.resource,
    };
    const keys = this.#book.keys();
    const { id, key } = await keys.make();
    const connection = {
      ...{ user, server: server.name, issuer: metadata.issuer, keyId: id },
      ...this.#book.told(tokens, begun.scope.split(' ')),
      sealed: this.#book.accountSealer(user, server, key).seal(secrets),
    };
    const replaced = (await record.load()).account?.keyId;
    try {
      await record.change(actor, (now) => {
        unused(now);
        return [fact('accountConnected', { connection })];
      });
    } catch (error) {
      await keys.destroy(id).catch(() => undefined);
      await revoke(withClient(server, secrets), server.fetch);
      throw error;
    }
    // Those that it was connected with before are of no more use.
    if (replaced !== undefined) await keys.destroy(replaced).catch(() => undefined);
    return server.name;
  }

  /** Destroys the key of an account, and says so on the record; whether one was connected. @throws DomainError */
  async disconnect(user: string, serverName: string, actor: Actor): Promise<boolean> {
    const server = this.#server(serverName);
    const now = await this.#book.record(user, server.name).load();
    if (now.account === undefined) return false;
    const secrets = await this.#book.secrets(user, server, now).catch(() => undefined);
    await this.#book.end(user, server.name, '', actor);
    if (secrets !== undefined) await revoke(withClient(server, secrets), server.fetch);
    return true;
  }

  #server(name: string): OauthServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const which =
      this.servers.length === 0 ? 'no server has auth: oauth' : `accounts are connected at ${this.servers.join(', ')}`;
    throw notFound(`no account can be connected at a server of that name; ${which}`);
  }
}

const over = (what: string) => failedPrecondition(`${what}; begin anew`, { reason: 'over' });

/** What the authorization server said instead of a code: only words that the protocol has are repeated. */
function refusalOf(error: string): string {
  if (error === 'access_denied') return 'it was not allowed there';
  return /^[a-z_]{1,40}$/u.test(error)
    ? `its authorization server said ${error}`
    : 'its authorization server gave no code';
}
