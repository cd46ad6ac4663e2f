import { Heartbeat, storeBeat, systemClock } from '@stopgo/log';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

export type BridgeHeartbeatOptions = {
  readonly store: Client<typeof store.StoreService>;
  readonly instance: string;
  /** Where this very bridge is called; empty within one process. */
  readonly address: string;
  readonly ttlMs: number;
};

/** Tells the store again and again that a bridge lives, until it is stopped. */
export type BridgeHeartbeat = {
  /** Renews once; true if the store has confirmed it. */
  renew(): Promise<boolean>;
  run(): void;
  stop(): Promise<void>;
};

export function bridgeHeartbeat({ store, instance, address, ttlMs }: BridgeHeartbeatOptions): BridgeHeartbeat {
  const heartbeat = new Heartbeat(storeBeat(store, instance, 'mcp-bridge', address), systemClock, ttlMs);
  let beating: Promise<void> | undefined;
  return {
    renew: () => heartbeat.renew(),
    run: () => {
      beating ??= heartbeat.run(() => undefined);
    },
    stop: async () => {
      heartbeat.stop();
      await beating;
    },
  };
}
