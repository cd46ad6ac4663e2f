import { describeApi } from '../docs/describe-api.ts';
import { renderAgent, renderTool } from '../render/tool.ts';
import { sendJson } from '../respond.ts';
import { permit, type Route, type RouteDependencies } from './route.ts';

/** What the service says of itself: that it lives, its tools, its routes. */
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
      path: '/docs/json',
      handle: async (_req, res, frame) => {
        await permit(deps, frame, 'docs.read', { kind: 'service' });
        sendJson(res, 200, api);
      },
    },
  ];
}
