import { actorFromWire, isUuid, notFound, unimplemented } from '@stopgo/core';
import type { orchestrator as wire } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Outbox } from './outbox.ts';

type Methods = Pick<ServiceImpl<typeof wire.OrchestratorService>, 'setPush' | 'removePush'>;

/** The part of the orchestrator's surface that is about who is told of a task. */
export function pushService(outbox: Outbox | undefined): Methods {
  if (outbox === undefined) {
    const nobody = async () => {
      throw unimplemented('this orchestrator tells nobody of anything');
    };
    return { setPush: nobody, removePush: nobody };
  }
  return {
    setPush: async ({ conversationId, settings, caller }) => {
      checkId(conversationId);
      const checked = outbox.check(settings ?? noSettings);
      const config = await outbox.setFromNow(conversationId, checked, actorFromWire(caller?.actor));
      return config === undefined ? {} : { config };
    },
    removePush: async ({ conversationId, configId, caller }) => {
      checkId(conversationId);
      await outbox.remove(conversationId, configId, actorFromWire(caller?.actor));
      return {};
    },
  };
}

const noSettings = { configId: '', url: '', token: '', scheme: '', credentials: '', protocolVersion: '' };

function checkId(conversationId: string): void {
  if (!isUuid(conversationId)) throw notFound(`conversation not found: ${conversationId}`);
}
