import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyIdCharacters = 16;

const sealingKeyBytes = 32;

/** Seals secrets before they are recorded, and opens them where they are used. Sealed for one place, they cannot be opened at another. */
export class Sealer {
  readonly #key: Uint8Array;
  readonly #randomBytes: (length: number) => Uint8Array;
  /** Tells the key from others, and nothing about it. */
  readonly keyId: string;

  /** @throws RangeError for a key of another length. */
  constructor(key: Uint8Array, randomBytes: (length: number) => Uint8Array) {
    if (key.length !== sealingKeyBytes) throw new RangeError(`the key has ${key.length} bytes, not ${sealingKeyBytes}`);
    this.#key = key;
    this.#randomBytes = randomBytes;
    const named = Buffer.concat([Buffer.from('stopgo push key '), key]);
    this.keyId = createHash('sha256').update(named).digest('hex').slice(0, keyIdCharacters);
  }

  /** `place`: what the secret is for, in parts. */
  seal(secret: string, place: readonly string[]): Uint8Array {
    const nonce = this.#randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(placeBytes(place));
    return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** The secret; undefined if it was sealed with another key, for another place, or is damaged. */
  open(sealed: Uint8Array, place: readonly string[]): string | undefined {
    const end = sealed.length - tagBytes;
    if (end < nonceBytes) return undefined;
    try {
      const decipher = createDecipheriv(algorithm, this.#key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(placeBytes(place)).setAuthTag(sealed.subarray(end));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

const placeBytes = (place: readonly string[]): Uint8Array => Buffer.from(JSON.stringify(place));
