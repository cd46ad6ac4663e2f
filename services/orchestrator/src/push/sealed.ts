import { createCipheriv, createDecipheriv } from 'node:crypto';
import { sha256Hex } from '@stopgo/core';

/** What an address is to be shown besides what it is told. */
export type PushSecrets = { readonly token: string; readonly credentials: string };

/** Where secrets belong: sealed for one place, they cannot be opened at another. */
export type SecretPlace = { readonly conversationId: string; readonly configId: string; readonly url: string };

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyIdCharacters = 16;

/** Bytes of the key that secrets are sealed with. */
export const pushKeyBytes = 32;

/** Seals secrets before they are recorded, and opens them where they are sent. */
export class Sealer {
  readonly #key: Uint8Array;
  readonly #randomBytes: (length: number) => Uint8Array;
  /** Tells the key from others, and nothing about it. */
  readonly keyId: string;

  /** @throws RangeError for a key of another length. */
  constructor(key: Uint8Array, randomBytes: (length: number) => Uint8Array) {
    if (key.length !== pushKeyBytes) throw new RangeError(`the key has ${key.length} bytes, not ${pushKeyBytes}`);
    this.#key = key;
    this.#randomBytes = randomBytes;
    this.keyId = sha256Hex(Buffer.concat([Buffer.from('stopgo push key '), key])).slice(0, keyIdCharacters);
  }

  seal(secrets: PushSecrets, place: SecretPlace): Uint8Array {
    const nonce = this.#randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(placeBytes(place));
    const text = JSON.stringify([secrets.token, secrets.credentials]);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** The secrets; undefined if they were sealed with another key, for another place, or are damaged. */
  open(sealed: Uint8Array, place: SecretPlace): PushSecrets | undefined {
    const end = sealed.length - tagBytes;
    if (end < nonceBytes) return undefined;
    try {
      const decipher = createDecipheriv(algorithm, this.#key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(placeBytes(place)).setAuthTag(sealed.subarray(end));
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]).toString(
        'utf8',
      );
      const [token, credentials] = JSON.parse(text) as [string, string];
      return { token, credentials };
    } catch {
      return undefined;
    }
  }
}

const placeBytes = ({ conversationId, configId, url }: SecretPlace): Uint8Array =>
  Buffer.from(JSON.stringify([conversationId, configId, url]));
