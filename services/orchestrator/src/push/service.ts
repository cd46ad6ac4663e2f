import { actorFromWire, isUuid, notFound, type Principal, requireReach, unimplemented } from '@stopgo/core';
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
    setPush: async ({ conversationId, settings, caller }, { principal }) => {
      const revision = await revisionFor(outbox, principal, conversationId);
      const checked = outbox.check(settings ?? noSettings);
      const config = await outbox.set(conversationId, checked, actorFromWire(caller?.actor), revision);
      return config === undefined ? {} : { config };
    },
    removePush: async ({ conversationId, configId, caller }, { principal }) => {
      await revisionFor(outbox, principal, conversationId);
      await outbox.remove(conversationId, configId, actorFromWire(caller?.actor));
      return {};
    },
  };
}

const noSettings = { configId: '', url: '', token: '', scheme: '', credentials: '', protocolVersion: '' };

/** Up to where a conversation has come, for somebody who may say who is told of it. @throws DomainError `not_found` */
async function revisionFor(
  outbox: Pick<Outbox, 'headOf'>,
  principal: Principal,
  conversationId: string,
): Promise<number> {
  if (!isUuid(conversationId)) throw notFound(`conversation not found: ${conversationId}`);
  const { revision, ...owned } = await outbox.headOf(conversationId);
  requireReach(principal, 'push.set', { id: conversationId, ...owned });
  return revision;
}
