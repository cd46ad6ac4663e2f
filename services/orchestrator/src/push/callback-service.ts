import { isUuid, notFound } from '@stopgo/core';
import type { orchestrator as wire } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Nudges } from '../driver/delegations/nudges.ts';
import type { Callbacks } from './callbacks.ts';

/** Who may call back, and what comes of it. */
export type CalledBack = { readonly callbacks: Callbacks; readonly nudges: Pick<Nudges, 'nudge'> };

type Methods = Pick<ServiceImpl<typeof wire.OrchestratorService>, 'nudgeTask'>;

/**
 * The part of the orchestrator's surface that other agents reach, through the gateway. Whoever has no token is told nothing, not
 * even whether there is such a conversation: it is not looked for.
 */
export function callbackService(calledBack: CalledBack | undefined): Methods {
  return {
    nudgeTask: async ({ conversationId, messageId, token }) => {
      const isSound = isUuid(conversationId) && isUuid(messageId);
      if (!isSound || calledBack?.callbacks.isOf({ conversationId, messageId }, token) !== true)
        throw notFound('no task is waited for there');
      calledBack.nudges.nudge(conversationId, messageId);
      return {};
    },
  };
}
