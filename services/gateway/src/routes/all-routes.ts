import { a2aRoutesOf } from '../a2a/http-agent.ts';
import { agentRoutes } from './agents.ts';
import { alarmRoutes } from './alarms.ts';
import { approvalEventRoutes } from './approval-events.ts';
import { approvalRoutes } from './approvals.ts';
import { assignRoutes } from './assign.ts';
import { blobRoutes } from './blobs.ts';
import { callbackRoutes } from './callbacks.ts';
import { connectionRoutes } from './connections.ts';
import { conversationRoutes } from './conversations.ts';
import { eventRoutes } from './events.ts';
import { heldToolRoutes } from './held-tools.ts';
import { inputRoutes } from './inputs.ts';
import { linkRoutes } from './links.ts';
import { memoryRoutes } from './memories.ts';
import { paceRoutes } from './pace.ts';
import { peopleRoutes } from './people.ts';
import { pushRoutes } from './push.ts';
import { recordRoutes } from './records.ts';
import { repositoryRoutes } from './repositories.ts';
import type { Route, RouteDependencies } from './route.ts';
import { runRoutes } from './runs.ts';
import { serviceRoutes } from './service.ts';
import { standingRoutes } from './standing.ts';
import { stepRoutes } from './steps.ts';
import { waitRoutes } from './waits.ts';

/** Every operation over HTTP. */
export const allRoutes = (deps: RouteDependencies): readonly Route[] => [
  ...serviceRoutes(deps),
  ...alarmRoutes(deps),
  ...waitRoutes(deps),
  ...heldToolRoutes(deps),
  ...connectionRoutes(deps),
  // Before agents: the rest of their path is a name.
  ...memoryRoutes(deps),
  ...repositoryRoutes(deps),
  ...agentRoutes(deps),
  ...conversationRoutes(deps),
  ...runRoutes(deps),
  ...stepRoutes(deps),
  ...paceRoutes(deps),
  ...eventRoutes(deps),
  ...recordRoutes(deps),
  ...blobRoutes(deps),
  ...pushRoutes(deps),
  ...approvalEventRoutes(deps),
  ...approvalRoutes(deps),
  ...assignRoutes(deps),
  ...standingRoutes(deps),
  ...inputRoutes(deps),
  ...peopleRoutes(deps),
  ...linkRoutes(deps),
  ...callbackRoutes(deps),
  ...a2aRoutesOf(deps),
];
