import { askBridges } from '../ask-bridges.ts';
import { describeApi } from '../docs/describe-api.ts';
import { renderServers } from '../render/server.ts';
import { renderAgent, renderTool } from '../render/tool.ts';
import { sendJson } from '../respond.ts';
import { permit, type Route, type RouteDependencies } from './route.ts';

/** What the service says of itself: that it lives, its tools and their servers, its routes. */
export function serviceRoutes(deps: RouteDependencies): readonly Route[] {
  const api = describeApi(deps.agentName);
  const agents = deps.remoteAgents.map(renderAgent);
  return [
    {
      method: 'GET',
      path: '/health',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'health.read', { kind: 'service' });
        sendJson(res, 200, { status: 'ok' });
      },
    },
    {
      method: 'GET',
      path: '/tools',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'tools.list', { kind: 'tools' });
        const { tools } = await deps.clients.bridge.listTools({}, { context: frame.context });
        sendJson(res, 200, { tools: [...tools.map(renderTool), ...agents] });
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
    {
      method: 'GET',
      path: '/docs/json',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'docs.read', { kind: 'service' });
        sendJson(res, 200, api);
      },
    },
  ];
}
