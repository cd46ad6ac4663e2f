import { Sealer } from '@stopgo/security';

/** What tokens are refreshed and revoked with. */
export type TokenIssuer = {
  readonly issuer: string;
  /** Where its metadata was found. */
  readonly url: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** How clients prove themselves there; absent: it does not say. */
  readonly authMethods?: readonly string[];
};

/** This platform as the authorization server knows it; a secret only if it was given with the registration. */
export type RegisteredClient = {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
};

/** All that a connected account is used with. It is on the record in sealed form only. */
export type AccountSecrets = {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly client: RegisteredClient;
  readonly issuer: TokenIssuer;
  /** What the tokens are for (RFC 8707). */
  readonly resource: string;
};

/** Whose account it is, at which address: sealed for one, it cannot be opened for another. */
export type AccountPlace = { readonly user: string; readonly server: string; readonly url: string };

/** Seals the secrets of one account, with a key that is its own. */
export class AccountSealer {
  readonly #sealer: Sealer;
  readonly #place: readonly string[];

  constructor(key: Uint8Array, { user, server, url }: AccountPlace, randomBytes: (length: number) => Uint8Array) {
    this.#sealer = new Sealer(key, randomBytes);
    this.#place = ['account', user, server, url];
  }

  seal(secrets: AccountSecrets): Uint8Array {
    return this.#sealer.seal(JSON.stringify(secrets), this.#place);
  }

  /** Undefined if it was sealed with another key, or for another place. */
  open(sealed: Uint8Array): AccountSecrets | undefined {
    const text = this.#sealer.open(sealed, this.#place);
    return text === undefined ? undefined : (JSON.parse(text) as AccountSecrets);
  }
}
