import { visibleText } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import type { BridgeBounds } from './bounds.ts';
import { reasonOf } from './failures.ts';
import { waitingHelps } from './open-failure.ts';
import type { ServerConnection } from './server-connection.ts';

/** What the first connection needs. */
export type OpenDependencies = {
  readonly bounds: Pick<BridgeBounds, 'stdioStartMs' | 'httpStartMs' | 'httpStartPauseMs'>;
  readonly log: Logger;
  readonly clock: () => number;
};

/**
 * Opens a connection for the first time. A stdio server has one try. An HTTP server may be starting at the same time as
 * we: it is tried again as long as waiting can help. Throws with the last reason.
 */
export async function openAtStart(connection: ServerConnection, dependencies: OpenDependencies): Promise<void> {
  const { bounds, log, clock } = dependencies;
  const { transport, startTimeoutMs } = connection.config;
  if (transport.kind === 'stdio') return connection.open(startTimeoutMs ?? bounds.stdioStartMs);
  const limitMs = startTimeoutMs ?? bounds.httpStartMs;
  const attempts = Math.max(1, Math.ceil(limitMs / bounds.httpStartPauseMs));
  const deadline = clock() + limitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.open(Math.max(1, deadline - clock()));
      return;
    } catch (error) {
      if (connection.state.kind === 'stopped') throw error;
      const pauseEnds = clock() + bounds.httpStartPauseMs;
      if (!waitingHelps(error) || attempt === attempts || pauseEnds >= deadline) throw error;
      const reason = visibleText(reasonOf(error));
      const pause = `${bounds.httpStartPauseMs}ms`;
      log.warn(`MCP connection attempt ${attempt}/${attempts} failed: ${reason}, retrying in ${pause}`);
      await new Promise((resolve) => setTimeout(resolve, bounds.httpStartPauseMs));
    }
  }
}
