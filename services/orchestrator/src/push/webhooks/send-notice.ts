import { type store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import type { SecretFilter } from '@stopgo/security';
import { linkAttemptsMax } from '../bounds.ts';
import type { Delivered, Delivery } from '../deliver.ts';
import { noticeBody } from './body.ts';
import type { Links, LinkWanted, MadeLink } from './links.ts';
import type { Notice } from './notices.ts';
import { signatureHeaders } from './sign.ts';
import type { NoticeType, Webhooks } from './webhooks.ts';

/** What this process knows of webhooks. */
export type WebhookPorts = {
  readonly webhooks: Webhooks;
  /** Name of the agent that this process runs. */
  readonly agent: string;
  readonly publicUrl: string | undefined;
  /** What no notice may repeat. */
  readonly secrets: SecretFilter;
  /** Makes the links of those webhooks that have any; undefined: none has. */
  readonly links: Links | undefined;
};

type SendPorts = WebhookPorts & {
  readonly store: Pick<Client<typeof store.StoreService>, 'getConversation' | 'getApproval'>;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
};

/** What somebody has to be moved by: the others say what has become of it. */
const asking: ReadonlySet<NoticeType> = new Set(['requested', 'reminded', 'escalated']);

/** Tells a webhook of a notice, once. Its id is the same each time that it is told of it. */
export async function sendNotice(
  ports: SendPorts,
  { webhook: name, failures }: views.PushConfig,
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
  const id = `${conversationId}:${notice.revision}:${name}`;
  const hasLink = asking.has(notice.type) && approval.status === views.ApprovalStatus.PENDING;
  const { linkFor } = webhook;
  const mayWait = failures < linkAttemptsMax;
  const made =
    hasLink && linkFor !== undefined
      ? await linkOf(ports, name, { notice: id, approvalId: approval.id, email: linkFor }, mayWait, signal)
      : undefined;
  if (made?.kind === 'unavailable' && mayWait)
    return {
      kind: 'failed',
      reason: 'its link could not be made: the approvals service does not answer',
      isOurs: true,
    };
  const link = made?.kind === 'made' ? { link: made.link } : {};
  const title = view?.head?.title ?? '';
  const body = noticeBody({ notice, approval, title, agent, publicUrl, now, secrets, ...link });
  const headers = {
    'Content-Type': 'application/json',
    ...signatureHeaders(webhook.secrets, { id, timestamp: Math.floor(now / 1_000), body }),
  };
  const allowed = { isAllowed: webhook.allowPrivate, by: 'allow_private of the webhook' };
  return ports.deliver({ url: webhook.url, headers, body, ofOwnNetwork: allowed }, signal);
}

/** The link of a notice. Without one it is told all the same, if nobody can make one, or not for long: people are to hear of what waits. */
async function linkOf(
  { links, logger }: SendPorts,
  webhook: string,
  wanted: LinkWanted,
  mayWait: boolean,
  signal: AbortSignal,
): Promise<MadeLink | undefined> {
  const made = await links?.make(wanted, signal);
  const reason = made === undefined ? undefined : whyWithout(made, mayWait);
  if (reason !== undefined && links?.mayWarn(webhook) === true)
    logger.warn('a webhook is told of approvals without a link', { webhook, reason });
  return made;
}

/** Why a notice that asks is told without a link; undefined if it has one, or waits for it, or asks nothing any more. */
function whyWithout(made: MadeLink, mayWait: boolean): string | undefined {
  if (made.kind === 'none' && !made.isSettled) return made.reason;
  return made.kind === 'unavailable' && !mayWait ? 'unavailable' : undefined;
}
