import { type Actor, actorFromWire } from '@stopgo/core';
import type { orchestrator as wire } from '@stopgo/proto';

/** Who calls, as events name them. */
export function actorOf(caller: wire.Caller | undefined): Actor {
  return caller?.actor === undefined ? { kind: 'user', id: 'anonymous' } : actorFromWire(caller.actor);
}
