import { DomainError, unavailable, visibleText } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { isAnotherPlace, reasonOf } from '../failures.ts';
import { sharedTools, sharedToolsText } from '../tools/catalogue.ts';
import { tellUnannotated } from '../tools/tell-tools.ts';
import { waitingHelps } from './open-failure.ts';
import type { ServerConnection } from './server-connection.ts';
import { startLine } from './state-lines.ts';
import { isOptional, stopAll, type ToolServer } from './tool-servers.ts';

/** What the first connection needs. */
export type OpenDependencies = {
  readonly bounds: Pick<BridgeBounds, 'stdioStartMs' | 'httpStartMs' | 'httpStartPauseMs' | 'otherPlaceTriesMax'>;
  readonly log: Logger;
  readonly clock: () => number;
};

/**
 * Opens every server in turn, all or nothing; nobody waits for one that the agent starts without. When `givenUp` aborts, what was
 * opened is ended at once.
 *
 * @throws Error that names the server that cannot be started (a DomainError `unavailable` if it is one over HTTP that may still
 * come), or two that share a tool's name; or the reason of `givenUp`. Whatever was opened before has been ended.
 */
export async function openInTurn(
  servers: readonly ToolServer[],
  dependencies: OpenDependencies,
  givenUp: AbortSignal | undefined,
): Promise<void> {
  const { log } = dependencies;
  if (servers.length === 0) log.info('No MCP servers configured');
  let ended: Promise<void> | undefined;
  const endAll = () => {
    ended ??= stopAll(servers).catch((problem: unknown) => log.warn(reasonOf(problem)));
    return ended;
  };
  const giveUp = () => void endAll();
  givenUp?.addEventListener('abort', giveUp, { once: true });
  try {
    for (const [index, server] of servers.entries()) {
      givenUp?.throwIfAborted();
      log.info(startLine(server.connection.config));
      if (isOptional(server)) openInBackground(server.connection, dependencies);
      else await openNeeded(server.connection, servers.slice(0, index), dependencies);
    }
    givenUp?.throwIfAborted();
  } catch (error) {
    await endAll();
    givenUp?.throwIfAborted();
    throw error;
  } finally {
    givenUp?.removeEventListener('abort', giveUp);
  }
}

/** However long it takes. */
function openInBackground(connection: ServerConnection, dependencies: OpenDependencies): void {
  void openAtStart(connection, dependencies).then(
    () => tellUnannotated(connection, dependencies.log),
    (error: unknown) => connection.openLater(error),
  );
}

async function openNeeded(
  connection: ServerConnection,
  before: readonly ToolServer[],
  dependencies: OpenDependencies,
): Promise<void> {
  try {
    await openAtStart(connection, dependencies);
  } catch (error) {
    throw startFailure(connection, error);
  }
  const needed = before.filter((server) => !isOptional(server)).map((server) => server.connection);
  const shared = sharedTools([...needed, connection]);
  if (shared !== undefined) throw new Error(sharedToolsText(shared));
}

function startFailure({ config: { name, transport } }: ServerConnection, error: unknown): Error {
  const problem = `failed to start MCP clients: failed to start MCP server "${name}": ${reasonOf(error)}`;
  const mayCome = transport.kind === 'http' || error instanceof DomainError;
  return mayCome && waitingHelps(error) && !isAnotherPlace(error) ? unavailable(problem) : new Error(problem);
}

/**
 * Opens a connection for the first time. A stdio server has one try. An HTTP server may be starting at the same time as
 * we: it is tried again as long as waiting can help. If something else answers, as a proxy does that is up before its server, it is
 * tried a few times, or for the time that its configuration gives it. Throws with the last reason.
 */
async function openAtStart(connection: ServerConnection, dependencies: OpenDependencies): Promise<void> {
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
