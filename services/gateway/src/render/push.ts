import { visibleUrl } from '@stopgo/core';
import type { views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { presentLine } from './shown.ts';
import { rfc3339 } from './time.ts';

/** Who is told of a conversation, and how far; without any secret. */
export const renderPush = (push: views.Push | undefined): { readonly [key: string]: Answer } => ({
  configs: (push?.configs ?? []).map(renderConfig),
});

const renderConfig = (config: views.PushConfig): Answer => ({
  id: config.id,
  ...(config.webhook === ''
    ? { url: visibleUrl(config.url), protocol_version: config.protocolVersion }
    : { webhook: config.webhook }),
  authentication: config.scheme === '' ? undefined : { scheme: config.scheme },
  status: config.givenUp ? 'given_up' : config.failures > 0 ? 'failing' : 'ok',
  created_at: rfc3339(config.createdAt),
  deliveries: config.deliveries,
  delivered_at: rfc3339(config.deliveredAt),
  through_revision: config.throughRevision,
  failures: config.failures,
  failure: presentLine(config.failure),
  failed_at: rfc3339(config.failedAt),
});
