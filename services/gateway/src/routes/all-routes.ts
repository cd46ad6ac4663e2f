import { cardRoutes } from '../a2a/card-routes.ts';
import { jsonRpcRoutes } from '../a2a/json-rpc-routes.ts';
import { restRoutes } from '../a2a/rest-routes.ts';
import { approvalRoutes } from './approvals.ts';
import { conversationRoutes } from './conversations.ts';
import { eventRoutes } from './events.ts';
import { pushRoutes } from './push.ts';
import type { Route, RouteDependencies } from './route.ts';
import { runRoutes } from './runs.ts';
import { serviceRoutes } from './service.ts';

/** Every operation over HTTP. */
export const allRoutes = (deps: RouteDependencies): readonly Route[] => [
  ...serviceRoutes(deps),
  ...conversationRoutes(deps),
  ...runRoutes(deps),
  ...eventRoutes(deps),
  ...pushRoutes(deps),
  ...approvalRoutes(deps),
  ...cardRoutes(deps),
  ...jsonRpcRoutes(deps),
  ...restRoutes(deps),
];
