import type { Answer } from '../json-text.ts';
import { agentEndpoints } from './agent-endpoints.ts';
import { approvalEndpoints } from './approval-endpoints.ts';
import { assignEndpoints } from './assign-endpoints.ts';
import { connectionEndpoints } from './connection-endpoints.ts';
import { conversationEndpoints } from './conversation-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { heldToolEndpoints } from './held-tool-endpoints.ts';
import { inputEndpoints } from './input-endpoints.ts';
import { fieldsOf, openApi } from './openapi.ts';
import { docsPage } from './page.ts';
import { peopleEndpoints } from './people-endpoints.ts';
import { pushEndpoints } from './push-endpoints.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { standingEndpoints } from './standing-endpoints.ts';
import { stepEndpoints } from './step-endpoints.ts';

/** Every operation of the REST surface. */
export const endpoints: readonly Endpoint[] = [
  ...serviceEndpoints,
  ...heldToolEndpoints,
  ...connectionEndpoints,
  ...agentEndpoints,
  ...conversationEndpoints,
  ...inputEndpoints,
  ...pushEndpoints,
  ...approvalEndpoints,
  ...assignEndpoints,
  ...stepEndpoints,
  ...standingEndpoints,
  ...peopleEndpoints,
];

const about = (agentName: string) => ({
  title: 'Agent Stop and Go API',
  description: `REST API of the agent ${agentName}: it stops before it does harm and goes on once a human has said yes.`,
  version: '1.0.0',
});

/** The description of the API of one agent, as a list. */
export const describeApi = (agentName: string): Answer => ({
  ...about(agentName),
  endpoints: endpoints.map(({ method, path, summary, description, request, responses }) => ({
    ...{ method, path, summary, description },
    request: request && { ...request, schema: fieldsOf(request) },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, one]) => [
        status,
        { description: one.description, example: one.example },
      ]),
    ),
  })),
});

/** The same as a page for people. */
export const docsPageOf = (agentName: string): string => docsPage(about(agentName), endpoints);

/** The same as an OpenAPI document. */
export const openApiOf = (agentName: string): Answer => openApi(about(agentName), endpoints) as Answer;
