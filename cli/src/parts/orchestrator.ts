import { randomUUID } from 'node:crypto';
import { systemClock } from '@stopgo/log';
import {
  type Orchestrator,
  type OrchestratorConfig,
  type OrchestratorDependencies,
  startOrchestrator,
} from '@stopgo/orchestrator';
import type { Secret } from '@stopgo/rpc';
import { hasAccounts } from './accounts.ts';
import { agentDefinition, systemPromptOf } from './agent-definition.ts';
import { type LinkMaker, linkPartsOf } from './links.ts';
import type { PartOptions } from './part.ts';
import { parsePushKey } from './push-key.ts';
import { credentialsOf } from './secrets.ts';
import { sayWhatFollows } from './start-notes.ts';
import { webhooksOf } from './webhooks.ts';

/** What no configuration says of an orchestrator. */
export type OrchestratorMore = Pick<OrchestratorConfig, 'watchTimes'>;

/** Starts an orchestrator that drives the runs of the configured agent, under an id that is never used twice. */
export function startOrchestratorPart(
  options: PartOptions,
  instance: string,
  clients: Pick<OrchestratorDependencies, 'store' | 'connectBridge' | 'models' | 'registry'> & {
    readonly pushKey: () => Secret | undefined;
    /** For links of webhooks; needed only where some webhook has any. */
    readonly approvals?: LinkMaker;
  },
  more: OrchestratorMore = {},
): Promise<Orchestrator> {
  const { config, env, logger } = options;
  const { pushKey, approvals, ...others } = clients;
  const links = linkPartsOf(config, approvals, pushKey);
  sayWhatFollows(config, logger);
  return startOrchestrator(
    {
      ...more,
      agent: agentDefinition(config),
      systemPrompt: systemPromptOf(config),
      ...(config.policy === undefined ? {} : { policy: config.policy }),
      calling: config.calling,
      heartbeatTtlMs: config.heartbeatTtlMs,
      runsMax: config.limits.concurrentRuns,
      hasAccounts: hasAccounts(config.mcpServers),
    },
    {
      ...others,
      secrets: credentialsOf(config, env),
      push: {
        allowPrivate: config.push.allowPrivate,
        webhooks: webhooksOf(options),
        ...(links === undefined ? {} : { links }),
        ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
        key: () => {
          const key = pushKey();
          return key === undefined ? undefined : parsePushKey(key.reveal());
        },
      },
      instance,
      clock: systemClock,
      newId: randomUUID,
      random: Math.random,
      log: logger,
    },
  );
}
