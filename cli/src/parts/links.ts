import type { OrchestratorDependencies } from '@stopgo/orchestrator';
import type { Secret } from '@stopgo/rpc';
import type { AgentConfig } from '@stopgo/runtime';
import { parsePushKey } from './push-key.ts';

type LinkParts = NonNullable<NonNullable<OrchestratorDependencies['push']>['links']>;

/** What puts links on the record. */
export type LinkMaker = LinkParts['approvals'];

/** Whether some webhook is sent links, for which an orchestrator needs the approvals service and a key. */
export const sendsLinks = ({ webhooks }: Pick<AgentConfig, 'webhooks'>): boolean =>
  webhooks.some(({ linkFor }) => linkFor !== undefined);

/**
 * With what the links of webhooks are made; undefined if none has any.
 *
 * @throws Error in one line if what is needed for it is not there.
 */
export function linkPartsOf(
  config: Pick<AgentConfig, 'webhooks'>,
  approvals: LinkMaker | undefined,
  pushKey: () => Secret | undefined,
): LinkParts | undefined {
  if (!sendsLinks(config)) return undefined;
  const key = pushKey();
  if (approvals === undefined)
    throw new Error(missing('STOPGO_APPROVALS', 'the approvals services put links on the record'));
  if (key === undefined)
    throw new Error(missing('STOPGO_PUSH_KEY', 'links are made with it, by every orchestrator the same'));
  return { approvals, key: parsePushKey(key.reveal()) };
}

const missing = (variable: string, why: string): string =>
  `${variable}: is not set, and a webhook of the configuration has link_for: ${why}`;
