import type { mcp } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import { listServersMs } from './bounds.ts';
import type { GatewayOptions } from './options.ts';

/** What a bridge says of its tool servers; undefined if it does not answer. */
export type BridgeAnswer = { readonly address: string; readonly answer: mcp.ListServersResponse | undefined };

/**
 * Asks every bridge how its tool servers are: each has connections of its own. One that is silent keeps nobody waiting for
 * longer than `listServersMs`.
 *
 * @throws DomainError of the first of them if none answers.
 */
export async function askBridges(
  { bridges, clients }: Pick<GatewayOptions, 'bridges' | 'clients'>,
  context: OutgoingContext,
): Promise<readonly BridgeAnswer[]> {
  const replicas = (await bridges?.()) ?? [{ address: '', client: clients.bridge }];
  const ends = await Promise.allSettled(
    replicas.map(({ client }) => client.listServers({}, { context, timeoutMs: listServersMs })),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined && ends.every(({ status }) => status === 'rejected')) throw failed.reason;
  return ends.map((end, index) => ({
    address: replicas[index]?.address ?? '',
    answer: end.status === 'fulfilled' ? end.value : undefined,
  }));
}
