import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { bodiesOf, type TaskState } from './bodies.ts';
import type { Delivered, Delivery } from './deliver.ts';
import type { PushSecrets, SecretPlace } from './sealed.ts';

/** A change of the task's state that is to be told. */
export type Update = { readonly revision: number; readonly state: TaskState };

type UpdatePorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'getConversation'>;
  /** Opens what was sealed; undefined if it cannot be. */
  readonly open: (sealed: Uint8Array, place: SecretPlace) => PushSecrets | undefined;
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
};

/** Tells an address of a task over A2A, once. */
export async function sendUpdate(
  { deliver, open, store }: UpdatePorts,
  config: views.PushConfig,
  { revision, state }: Update,
  conversationId: string,
  signal: AbortSignal,
): Promise<Delivered> {
  const { id: configId, url, scheme, sealed, protocolVersion } = config;
  const secrets =
    sealed.length === 0 ? { token: '', credentials: '' } : open(sealed, { conversationId, configId, url });
  if (secrets === undefined)
    return { kind: 'failed', reason: 'its credentials cannot be opened with the key that this process has' };
  const { view } = await store.getConversation({ conversationId, minRevision: revision }, { signal });
  for (const { body, contentType, key } of bodiesOf(view, revision, state, protocolVersion)) {
    const headers = {
      'Content-Type': contentType,
      'A2A-Version': protocolVersion,
      'Idempotency-Key': key,
      ...(secrets.credentials === '' ? {} : { Authorization: `${scheme} ${secrets.credentials}` }),
      ...(secrets.token === '' ? {} : { 'X-A2A-Notification-Token': secrets.token }),
    };
    const outcome = await deliver({ url, headers, body }, signal);
    if (outcome.kind === 'failed') return outcome;
  }
  return { kind: 'taken' };
}
