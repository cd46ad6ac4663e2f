import type { OutgoingContext } from '@stopgo/rpc';
import { askBridges } from '../ask-bridges.ts';
import { conditionWaitMs } from '../bounds.ts';
import { delegationTools } from '../delegation-tools.ts';
import { renderServers } from '../render/server.ts';
import { renderAgent, renderTool } from '../render/tool.ts';
import { sendJson } from '../respond.ts';
import { docsRoutes } from './docs.ts';
import { permit, type Route, type RouteDependencies } from './route.ts';

/**
 * Whoever answers lives, so that nothing here is an error. That nothing can be recorded is told by a store; one that does not answer
 * in time is not told of here: requests that need it say so.
 */
async function health({ clients }: RouteDependencies, context: OutgoingContext): Promise<Health> {
  try {
    const { problem } = await clients.store.getCondition({}, { context, timeoutMs: conditionWaitMs });
    return problem === '' ? { status: 'ok' } : { status: 'degraded', reason: problem };
  } catch {
    return { status: 'ok' };
  }
}

type Health = { readonly status: 'ok' } | { readonly status: 'degraded'; readonly reason: string };

/** What the service says of itself: that it lives, its tools and their servers, its description. */
export function serviceRoutes(deps: RouteDependencies): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      isOpen: true,
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'health.read', { kind: 'service' });
        sendJson(res, 200, await health(deps, frame.context));
      },
    },
    {
      method: 'GET',
      path: '/tools',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'tools.list', { kind: 'tools' });
        const [{ tools }, agents] = await Promise.all([
          deps.clients.bridge.listTools({}, { context: frame.context }),
          delegationTools(deps, frame.context),
        ]);
        sendJson(res, 200, { tools: [...tools.map(renderTool), ...agents.map(renderAgent)] });
      },
    },
    {
      method: 'GET',
      path: '/mcp/servers',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'servers.list', { kind: 'tools' });
        const answers = await askBridges(deps, frame.context);
        sendJson(res, 200, renderServers(answers, deps.wallClock()));
      },
    },
    ...docsRoutes(deps),
  ];
}
