import { type Actor, actorFromWire } from '@stopgo/core';
import type { envelope } from '@stopgo/proto';

/** Who decides, as events name them. */
export function actorOf({ actor }: { readonly actor?: envelope.Actor | undefined }): Actor {
  return actor === undefined ? { kind: 'approver', id: 'anonymous' } : actorFromWire(actor);
}
