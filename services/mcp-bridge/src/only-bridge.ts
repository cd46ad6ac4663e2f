import { bridgeRole, type Liveness, processOf, type Standing } from '@stopgo/log';
import type { McpServerConfig } from '@stopgo/runtime';

/**
 * Refuses a second bridge beside one that is alive, if a stdio server would then run twice that may keep state of its own
 * (it is not `stateless: true`). To be called right after the first renewal of a heartbeat that goes on: who finds nobody
 * in the list then was the first, and may stay. A bridge in the list may also have been killed: it is waited for until its
 * counter moves or its time to live is over.
 *
 * @throws Error with one line that says what to do.
 */
export async function refuseSecondBridge(
  servers: readonly McpServerConfig[],
  heartbeat: Pick<Liveness, 'alive' | 'renewed'> & Pick<Standing, 'hasBeen'>,
  signal: AbortSignal,
): Promise<void> {
  const kept = servers.find(({ transport, stateless }) => transport.kind === 'stdio' && !stateless);
  if (kept === undefined) return;
  const others = () => heartbeat.alive(bridgeRole).filter(({ instance }) => !heartbeat.hasBeen(instance));
  // One that has taken another id is in the list under both for a while, which is no sign of life.
  const first = new Map(others().map(({ instance, counter }) => [instance, counter]));
  const processes = new Set([...first.keys()].map(processOf));
  for (;;) {
    const here = others().filter(({ instance }) => processes.has(processOf(instance)));
    if (here.length === 0) return;
    const alive = here.find(({ instance, counter }) => first.get(instance) !== counter);
    if (alive !== undefined)
      throw new Error(
        `the MCP server "${kept.name}" runs as a process of the bridge, and another bridge (${alive.address || alive.instance}) has one already: run one bridge, make it an HTTP server, or mark it stateless: true if it keeps nothing`,
      );
    await heartbeat.renewed(signal);
  }
}
