import { failedPrecondition, notFound, permissionDenied, visibleLine } from '@stopgo/core';
import type { registry as wire } from '@stopgo/proto';
import type { RepositoryOptions } from '../kept-repository.ts';
import { isProven } from './proof.ts';
import { type Pushed, pushedIn } from './pushed.ts';

/** What a webhook needs to know of a repository, and to have it do. */
export type NotifiedRepository = {
  readonly options: Pick<RepositoryOptions, 'name' | 'isActive' | 'webhookSecret'>;
  readonly record: { readonly state: { readonly source: { readonly branch: string } } };
  readonly syncSoon: () => void;
};

/** What is done about a webhook. `reason`: why nothing is. */
type Received = { readonly syncs: boolean; readonly reason: string };

const shownCharactersMax = 100;

/**
 * Begins a sync for a push to the branch of a repository. What else a webhook says is not used, so that one that comes again, or late, only has
 * the repository looked at once more.
 *
 * @throws DomainError
 */
export function receiveWebhook(
  repositories: readonly NotifiedRepository[],
  request: Omit<wire.ReceiveWebhookRequest, '$typeName' | '$unknown'>,
): Received {
  const repository = repositories.find(({ options: { name } }) => name === request.name);
  // Whoever brings no proof is not told which repositories there are.
  const { webhookSecret, isActive } = repository?.options ?? {};
  if (repository === undefined || webhookSecret === undefined)
    throw notFound(
      'no webhooks are taken here for a repository of this name: "webhook_secret" of one of "agent_repositories" has them taken',
    );
  if (!isProven(request, webhookSecret))
    throw permissionDenied(
      'the webhook is not proven: X-Hub-Signature-256, X-Gitea-Signature or X-Gitlab-Token must be made with the secret that "webhook_secret" names',
    );
  if (!isActive) throw failedPrecondition(`the repository ${request.name} is not active`);
  const pushed = pushedIn(request);
  const { branch } = repository.record.state.source;
  const reason = whyNoSync(pushed, branch);
  if (reason === '') repository.syncSoon();
  return { syncs: reason === '', reason };
}

function whyNoSync(pushed: Pushed, branch: string): string {
  switch (pushed.kind) {
    case 'other':
      return `the event ${shown(pushed.event)} is no push`;
    case 'unread':
      return `the push cannot be read: ${pushed.reason}`;
    case 'push':
      return pushed.ref === `refs/heads/${branch}`
        ? ''
        : `the push is to ${shown(pushed.ref)}; agents are taken from the branch ${branch}`;
  }
}

const shown = (text: string): string => visibleLine(text.slice(0, shownCharactersMax));
