import { type Endpoint, errorExample } from './endpoint.ts';

export const serviceEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/health',
    summary: 'Health check',
    description: 'Says that the service answers.',
    responses: { '200': { description: 'It does.', example: { status: 'ok' } } },
  },
  {
    method: 'GET',
    path: '/tools',
    summary: 'List tools',
    description:
      'Every tool that the agent can use, with its schema. Calls of a tool with destructiveHint wait for an approval.',
    responses: {
      '200': {
        description: 'The tools.',
        example: {
          tools: [
            {
              name: 'resources_add',
              description: 'Add a new resource with a name and value',
              inputSchema: {
                type: 'object',
                properties: { name: { type: 'string' }, value: { type: 'integer' } },
                required: ['name', 'value'],
              },
              destructiveHint: true,
              annotations: { readOnlyHint: false, destructiveHint: true },
              server: 'resources',
            },
          ],
        },
      },
      '503': { description: 'The tools cannot be asked for now.', example: errorExample('…') },
    },
  },
  {
    method: 'GET',
    path: '/docs/json',
    summary: 'This description',
    description: 'Every route with its request fields and answers, as JSON.',
    responses: { '200': { description: 'The description.', example: { title: 'Agent Stop and Go API' } } },
  },
];
