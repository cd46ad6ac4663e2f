import { DomainError } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { createGrpcClient, type GrpcChannel } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { dependencyRetryMs, tokenAnswerMs } from './bounds.ts';
import { isPassing, TokenRefused, whenAvailable } from './wait.ts';

/**
 * Waits until a replica of the store can be called and takes this process's token; says so while it waits. Every service
 * but the store does that before it is ready, so all that are ready have the same token. Rejects only with the signal's
 * reason.
 */
export async function reachStore(
  channel: GrpcChannel,
  waiting: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const client = createGrpcClient(store.StoreService, channel);
  const reach = async (): Promise<void> => {
    await channel.ready(dependencyRetryMs);
    try {
      // The cheapest question: it is answered from the views, also while the log is away.
      await client.getCondition({}, { timeoutMs: tokenAnswerMs });
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') throw new TokenRefused('the store', error);
      // A store that looked at the question has taken the token; what it made of it, a damaged row say, is nobody else's
      // reason not to start.
      if (isPassing(error)) throw error;
    }
  };
  await whenAvailable('the store', reach, waiting);
}
