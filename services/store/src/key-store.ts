import { failedPrecondition } from '@stopgo/core';

/**
 * Sealed keys beside the log, by id. What is in the log stays there for ever; what was sealed with a key of these is gone once that is
 * destroyed.
 *
 * Every method throws `unavailable` when the keys cannot be reached now.
 */
export type KeyStore = {
  /** Durable before the answer. The same key again changes nothing. */
  keep(id: string, sealed: Uint8Array): Promise<void>;
  /** Undefined if there is none. */
  read(id: string): Promise<Uint8Array | undefined>;
  /** Durable before the answer. */
  destroy(id: string): Promise<void>;
};

const refuse = async () => {
  throw failedPrecondition('this store keeps no keys');
};

/** For a log beside which there is no place for keys: none is taken, and none is there. */
export const noKeys: KeyStore = { keep: refuse, read: async () => undefined, destroy: refuse };
