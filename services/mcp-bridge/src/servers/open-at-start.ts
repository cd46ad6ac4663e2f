import { visibleText } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { isAnotherPlace, reasonOf } from '../failures.ts';
import { waitingHelps } from './open-failure.ts';
import type { ServerConnection } from './server-connection.ts';

/** What the first connection needs. */
export type OpenDependencies = {
  readonly bounds: Pick<BridgeBounds, 'stdioStartMs' | 'httpStartMs' | 'httpStartPauseMs' | 'otherPlaceTriesMax'>;
  readonly log: Logger;
  readonly clock: () => number;
};

/**
 * Opens a connection for the first time. A stdio server has one try. An HTTP server may be starting at the same time as
 * we: it is tried again as long as waiting can help. If something else answers, as a proxy does that is up before its server, it is
 * tried a few times, or for the time that its configuration gives it. Throws with the last reason.
 */
export async function openAtStart(connection: ServerConnection, dependencies: OpenDependencies): Promise<void> {
  const { bounds, log, clock } = dependencies;
  const { transport, startTimeoutMs } = connection.config;
  if (transport.kind === 'stdio') return connection.open(startTimeoutMs ?? bounds.stdioStartMs);
  const limitMs = startTimeoutMs ?? bounds.httpStartMs;
  const attempts = Math.max(1, Math.ceil(limitMs / bounds.httpStartPauseMs));
  const elsewhereMax = startTimeoutMs === undefined ? Math.min(attempts, bounds.otherPlaceTriesMax) : attempts;
  const deadline = clock() + limitMs;
  let elsewhere = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.open(Math.max(1, deadline - clock()));
      return;
    } catch (error) {
      if (connection.state.kind === 'stopped') throw error;
      const pauseEnds = clock() + bounds.httpStartPauseMs;
      if (isAnotherPlace(error)) elsewhere += 1;
      if (elsewhere >= elsewhereMax) throw error;
      if (!waitingHelps(error) || attempt === attempts || pauseEnds >= deadline) throw error;
      const reason = visibleText(reasonOf(error));
      const pause = `${bounds.httpStartPauseMs}ms`;
      const most = isAnotherPlace(error) ? Math.min(attempts, attempt + elsewhereMax - elsewhere) : attempts;
      log.warn(`MCP connection attempt ${attempt}/${most} failed: ${reason}, retrying in ${pause}`);
      await new Promise((resolve) => setTimeout(resolve, bounds.httpStartPauseMs));
    }
  }
}
