import type { Answer } from '../json-text.ts';
import { agentEndpoints } from './agent-endpoints.ts';
import { approvalEndpoints } from './approval-endpoints.ts';
import { assignEndpoints } from './assign-endpoints.ts';
import { conversationEndpoints } from './conversation-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { heldToolEndpoints } from './held-tool-endpoints.ts';
import { peopleEndpoints } from './people-endpoints.ts';
import { pushEndpoints } from './push-endpoints.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { standingEndpoints } from './standing-endpoints.ts';
import { stepEndpoints } from './step-endpoints.ts';

const version = '1.0.0';

/** Every operation of the REST surface. */
export const endpoints: readonly Endpoint[] = [
  ...serviceEndpoints,
  ...heldToolEndpoints,
  ...agentEndpoints,
  ...conversationEndpoints,
  ...pushEndpoints,
  ...approvalEndpoints,
  ...assignEndpoints,
  ...stepEndpoints,
  ...standingEndpoints,
  ...peopleEndpoints,
];

/** The description of the API of one agent. */
export const describeApi = (agentName: string): Answer => ({
  title: 'Agent Stop and Go API',
  description: `REST API of the agent ${agentName}: it stops before it does harm and goes on once a human has said yes.`,
  version: version,
  endpoints,
});
