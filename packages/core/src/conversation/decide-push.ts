import type { views } from '@stopgo/proto';
import { type Fact, fact } from '../events/facts.ts';
import { pushConfigsMax } from '../text/bounds.ts';
import { resourceExhausted } from '../text/errors.ts';

/** Who tells: as with runs, an instance in one of its claims. */
export type PushOwner = { readonly instance: string; readonly epoch: number };

/** What a config says, sealed. */
export type PushConfiguring = {
  readonly id: string;
  readonly url: string;
  readonly protocolVersion: string;
  readonly scheme: string;
  readonly sealed: Uint8Array;
  readonly keyId: string;
  /** Revision of the conversation after which it is told. */
  readonly afterRevision: number;
};

/** What came of telling one address about one event. */
export type PushAttempt = {
  readonly configId: string;
  readonly eventRevision: number;
  readonly delivered: boolean;
  readonly reason: string;
  readonly givenUp: boolean;
  readonly taskState: string;
};

/** What the ids of webhooks begin with, and no id that somebody gives. */
export const webhookIdPrefix = 'webhook:';

/** Makes a config, or makes it anew. @throws DomainError `resource_exhausted` if there are too many. */
export function configurePush(push: views.Push, config: PushConfiguring): readonly Fact[] {
  const { conversationId, configs } = push;
  const others = configs.filter(({ webhook }) => webhook === '');
  if (others.length >= pushConfigsMax && others.every(({ id }) => id !== config.id))
    throw resourceExhausted(
      `${pushConfigsMax} addresses are told of this task, which is the most; delete one of them first`,
    );
  const { id: configId, ...said } = config;
  return [fact('pushConfigured', { ...said, conversationId, configId, ...unintroduced(push, config) })];
}

/** What was named before the config is told of, and nobody has introduced yet, is not settled by the config. */
function unintroduced({ namedFrom, namedThrough, settledRevision }: views.Push, { afterRevision }: PushConfiguring) {
  const from = Math.min(afterRevision, Math.max(settledRevision, namedFrom - 1));
  return namedThrough > settledRevision && from < afterRevision ? { settledRevision: from } : {};
}

/** A webhook that an event of the conversation names. */
export type NamingOfWebhook = { readonly webhook: string; readonly revision: number };

/**
 * Has webhooks told of the events that name them, and of what follows. Nothing of one that is told already. One that was given up is
 * told again from the next event on that names it.
 */
export function tellWebhooks(push: views.Push, named: readonly NamingOfWebhook[]): readonly Fact[] {
  const first = new Map<string, number>();
  for (const { webhook, revision } of named) {
    const known = push.configs.find((one) => one.webhook === webhook);
    if (known !== undefined && (!known.givenUp || revision <= known.givenUpOver)) continue;
    first.set(webhook, Math.min(revision, first.get(webhook) ?? revision));
  }
  return [...first].map(([webhook, revision]) =>
    fact('pushConfigured', {
      conversationId: push.conversationId,
      configId: webhookIdIn(push, webhook),
      webhook,
      afterRevision: revision - 1,
    }),
  );
}

/** The id of a webhook's config. Before webhooks were, somebody may have given that id to an address: it is left to them. */
function webhookIdIn({ configs }: views.Push, webhook: string): string {
  let id = `${webhookIdPrefix}${webhook}`;
  // No name of a webhook holds a colon, so the next one is of no other webhook either.
  while (configs.some((config) => config.id === id && config.webhook !== webhook)) id = `${webhookIdPrefix}${id}`;
  return id;
}

/** Ends a config that somebody made; nothing, if it is not there. */
export const removePush = ({ configs }: views.Push, configId: string): readonly Fact[] =>
  configs.some(({ id, webhook }) => id === configId && webhook === '') ? [fact('pushRemoved', { configId })] : [];

/** Claims the telling for an instance. `mayTakeOver` says whether the owner that there is may be followed. */
export function claimPush(
  { ownerInstance, epoch }: views.Push,
  instance: string,
  mayTakeOver: (owner: string) => boolean,
): readonly Fact[] {
  if (ownerInstance !== '' && !mayTakeOver(ownerInstance)) return [];
  return [fact('pushClaimed', { instance, epoch: epoch + 1 })];
}

const isOwner = (push: views.Push, { instance, epoch }: PushOwner): boolean =>
  push.ownerInstance === instance && push.epoch === epoch;

/** Records an attempt; nothing, if the instance is not the owner any more, or the config is gone or told already. */
export function attemptPush(push: views.Push, owner: PushOwner, attempt: PushAttempt): readonly Fact[] {
  const config = push.configs.find(({ id }) => id === attempt.configId);
  if (!isOwner(push, owner) || config === undefined || config.givenUp) return [];
  if (attempt.eventRevision <= config.throughRevision) return [];
  return [fact('pushAttempted', { ...attempt, ...owner, attempt: config.failures + 1 })];
}

/**
 * Says that nothing is left to tell up to a revision; nothing, if somebody else has claimed it. `owner` undefined: nobody had to
 * claim it.
 */
export function releasePush(push: views.Push, owner: PushOwner | undefined, throughRevision: number): readonly Fact[] {
  if (owner === undefined ? push.ownerInstance !== '' : !isOwner(push, owner)) return [];
  if (owner === undefined && throughRevision <= push.settledRevision) return [];
  return [fact('pushReleased', { throughRevision, ...owner })];
}
