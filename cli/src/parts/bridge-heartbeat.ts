import { bridgeRole, Heartbeat, storeBeat, systemClock, type Waits } from '@stopgo/log';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** The heartbeat of a bridge, with what runs wait for there: it takes another id whenever it may have been taken for dead. */
export function bridgeHeartbeat(
  client: Client<typeof store.StoreService>,
  instance: string,
  ttlMs: number,
  waits: Waits,
): Heartbeat {
  return new Heartbeat({
    beat: storeBeat(client, ttlMs),
    clock: systemClock,
    ttlMs,
    instance,
    role: bridgeRole,
    renames: true,
    waits: () => waits.told(),
  });
}
