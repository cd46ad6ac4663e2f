import { pushList } from '../api/push.ts';
import { type Endpoint, errorExample } from './endpoint.ts';
import { conversationId } from './examples.ts';

export const pushEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/conversations/:id/push',
    summary: 'Who is told of a conversation',
    description:
      'The addresses that A2A clients have told of the task, and how that goes: ok, failing (tried again) or given_up. Tokens and credentials are not shown.',
    responses: {
      '200': {
        schema: pushList,
        description: 'The addresses.',
        example: {
          configs: [
            {
              id: 'a',
              url: 'https://client.example/hook',
              protocol_version: '1.0',
              authentication: { scheme: 'Bearer' },
              status: 'ok',
              created_at: '2026-01-01T00:00:00.000Z',
              deliveries: 3,
              delivered_at: '2026-01-01T00:00:02.000Z',
              through_revision: 12,
              failures: 0,
            },
          ],
        },
      },
      '404': {
        description: 'No such conversation.',
        example: errorExample(`conversation not found: ${conversationId}`),
      },
    },
  },
];
