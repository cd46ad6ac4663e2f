import { Sealer } from '@stopgo/security';

/** What an address is to be shown besides what it is told. */
export type PushSecrets = { readonly token: string; readonly credentials: string };

/** Where secrets belong: sealed for one place, they cannot be opened at another. */
export type SecretPlace = { readonly conversationId: string; readonly configId: string; readonly url: string };

/** Seals what addresses are to be shown. */
export class PushSealer {
  readonly #sealer: Sealer;

  /** @throws RangeError for a key of another length. */
  constructor(key: Uint8Array, randomBytes: (length: number) => Uint8Array) {
    this.#sealer = new Sealer(key, randomBytes);
  }

  /** Tells the key from others, and nothing about it. */
  get keyId(): string {
    return this.#sealer.keyId;
  }

  seal({ token, credentials }: PushSecrets, place: SecretPlace): Uint8Array {
    return this.#sealer.seal(JSON.stringify([token, credentials]), partsOf(place));
  }

  /** The secrets; undefined if they were sealed with another key, for another place, or are damaged. */
  open(sealed: Uint8Array, place: SecretPlace): PushSecrets | undefined {
    const text = this.#sealer.open(sealed, partsOf(place));
    if (text === undefined) return undefined;
    const [token, credentials] = JSON.parse(text) as [string, string];
    return { token, credentials };
  }
}

const partsOf = ({ conversationId, configId, url }: SecretPlace) => [conversationId, configId, url];
