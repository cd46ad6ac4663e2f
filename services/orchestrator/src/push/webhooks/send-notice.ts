import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { SecretFilter } from '@stopgo/security';
import type { Delivered, Delivery } from '../deliver.ts';
import { noticeBody } from './body.ts';
import type { Notice } from './notices.ts';
import { signatureHeaders } from './sign.ts';
import type { Webhooks } from './webhooks.ts';

/** What this process knows of webhooks. */
export type WebhookPorts = {
  readonly webhooks: Webhooks;
  /** Name of the agent that this process runs. */
  readonly agent: string;
  readonly publicUrl: string | undefined;
  /** What no notice may repeat. */
  readonly secrets: SecretFilter;
};

type SendPorts = WebhookPorts & {
  readonly store: Pick<Client<typeof store.StoreService>, 'getConversation' | 'getApproval'>;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
};

/** Tells a webhook of a notice, once. Its id is the same each time that it is told of it. */
export async function sendNotice(
  ports: SendPorts,
  { webhook: name }: views.PushConfig,
  notice: Notice,
  conversationId: string,
  signal: AbortSignal,
): Promise<Delivered> {
  const webhook = ports.webhooks.get(name);
  if (webhook === undefined) return { kind: 'failed', reason: 'no webhook of this name is configured here' };
  const [{ approval }, { view }] = await Promise.all([
    ports.store.getApproval({ approvalId: notice.approvalId }, { signal }),
    ports.store.getConversation({ conversationId, minRevision: notice.revision }, { signal }),
  ]);
  if (approval === undefined) return { kind: 'failed', reason: 'its approval is not shown any more' };
  const now = ports.now();
  const { agent, publicUrl, secrets } = ports;
  const body = noticeBody({ notice, approval, title: view?.head?.title ?? '', agent, publicUrl, now, secrets });
  const id = `${conversationId}:${notice.revision}:${name}`;
  const headers = {
    'Content-Type': 'application/json',
    ...signatureHeaders(webhook.secrets, { id, timestamp: Math.floor(now / 1_000), body }),
  };
  const allowed = { isAllowed: webhook.allowPrivate, by: 'allow_private of the webhook' };
  return ports.deliver({ url: webhook.url, headers, body, ofOwnNetwork: allowed }, signal);
}
