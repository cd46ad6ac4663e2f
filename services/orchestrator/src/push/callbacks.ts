import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Secret } from '@stopgo/rpc';
import type { Callback } from '../delegation-port.ts';

/** The task of another agent that is waited for: by the message that it was made of. */
export type AwaitedTask = { readonly conversationId: string; readonly messageId: string };

/** What the gateway serves callbacks at, below the public address. */
const path = '/a2a/notify';
/** The one purpose of the key that tokens are made with. */
const purpose = 'stopgo callback token';
const keyBytes = 32;

/**
 * The addresses at which other agents say that a task has changed. Nothing of them is kept: a token is made of the task's ids
 * with a key, so that any process knows it again.
 */
export class Callbacks {
  readonly #publicUrl: string | undefined;
  readonly #key: () => Uint8Array | undefined;
  #tokenKey: Uint8Array | undefined;

  /**
   * @param publicUrl - where other agents reach the gateways, without a slash at the end; without one there are no callbacks.
   * @param key - a secret key, the same for all orchestrators; undefined: there are no callbacks either.
   */
  constructor(publicUrl: string | undefined, key: () => Uint8Array | undefined) {
    this.#publicUrl = publicUrl;
    this.#key = key;
  }

  /** The callback of a task; undefined if there are none. Throws what the key throws. */
  of(task: AwaitedTask): Callback | undefined {
    const token = this.#tokenOf(task);
    if (token === undefined) return undefined;
    const { conversationId, messageId } = task;
    const url = `${this.#publicUrl}${path}/${conversationId}/${messageId}`;
    return { id: messageId, url, token: new Secret(token.toString('base64url')) };
  }

  /** Whether somebody shows the token of the task; in the same time for each that is not. */
  isOf(task: AwaitedTask, shown: string): boolean {
    const token = this.#tokenOf(task);
    const bytes = Buffer.from(shown, 'base64url');
    return token !== undefined && bytes.length === token.length && timingSafeEqual(bytes, token);
  }

  #tokenOf({ conversationId, messageId }: AwaitedTask): Buffer | undefined {
    if (this.#publicUrl === undefined) return undefined;
    if (this.#tokenKey === undefined) {
      const key = this.#key();
      if (key === undefined) return undefined;
      this.#tokenKey = new Uint8Array(hkdfSync('sha256', key, '', purpose, keyBytes));
    }
    return createHmac('sha256', this.#tokenKey)
      .update(JSON.stringify([conversationId, messageId]))
      .digest();
  }
}
