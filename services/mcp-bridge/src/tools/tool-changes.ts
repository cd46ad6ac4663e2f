import type { Client } from '@modelcontextprotocol/client';
import { reasonOf } from '../failures.ts';
import type { Line } from '../lines/line.ts';

/** What one connection reports while it lives. */
export type ConnectListeners = {
  /** There is a line to the server, and its start begins. */
  readonly onLine?: (line: Pick<Line, 'lastLine' | 'junk'>) => void;
  /** Its process wrote something to its standard output that is no message; told once for each process. */
  readonly onJunk?: (first: string) => void;
  readonly onToolsChanged: () => void;
  readonly onError: (error: Error) => void;
};

/**
 * Keeps an eye on the list of tools, in the way of either protocol. What it returns says whether a change would be
 * noticed: not over HTTP in the older protocol, whose stream of notifications is optional and may break unseen.
 */
export function followToolChanges(
  client: Client,
  listeners: ConnectListeners,
  pauseMs: number,
  closing: () => boolean,
  onePipe: boolean,
): () => boolean {
  client.setNotificationHandler('notifications/tools/list_changed', () => listeners.onToolsChanged());
  if (client.getProtocolEra() !== 'modern') return () => onePipe;
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return () => false;
  let following = true;
  const follow = async (): Promise<void> => {
    while (!closing()) {
      const subscription = await client.listen({ toolsListChanged: true });
      if ((await subscription.closed) === 'local' || closing()) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      // What changed while nobody listened is not told again, so the list is read anew.
      if (!closing()) listeners.onToolsChanged();
    }
  };
  follow().catch((error: unknown) => {
    following = false;
    if (!closing()) listeners.onError(new Error(`changes of its tools cannot be followed: ${reasonOf(error)}`));
  });
  return () => following;
}
