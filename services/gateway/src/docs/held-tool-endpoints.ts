import { acceptedTools, heldToolList } from '../api/tool.ts';
import { acceptTools } from '../api/tool-request.ts';
import { type Endpoint, errorExample } from './endpoint.ts';

const pin = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const named = { server: 'notes', name: 'erase', pin: pin };

export const heldToolEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/tools/held',
    summary: 'Tools that nobody has accepted',
    description:
      'New and changed tools of servers that were met before: they are neither offered nor called until somebody accepts them. Each with every place at which its definition differs from the accepted one; characters that nobody sees are made visible there.',
    responses: {
      '200': {
        schema: heldToolList,
        description: 'The tools.',
        example: {
          tools: [
            {
              ...named,
              state: 'changed',
              accepted_pin: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
              destructiveHint: false,
              changes: [{ path: 'annotations.destructiveHint', before: 'true', after: 'false' }],
              definition: {
                name: 'erase',
                inputSchema: { type: 'object' },
                annotations: { destructiveHint: false },
              },
              accepted_definition: {
                name: 'erase',
                inputSchema: { type: 'object' },
                annotations: { destructiveHint: true },
              },
            },
          ],
        },
      },
      '503': { description: 'The tools cannot be asked for now.', example: errorExample('…') },
    },
  },
  {
    method: 'POST',
    path: '/tools/accept',
    headers: ['X-Approver'],
    summary: 'Accept tools',
    description:
      'Accepts tools exactly as they were shown: each is named with the pin of that definition. Who accepts them is recorded (X-Approver, or by).',
    request: {
      content_type: 'application/json',
      schema: acceptTools,
      example: { tools: [named], by: 'ann' },
    },
    responses: {
      '200': { schema: acceptedTools, description: 'They may be used.', example: { accepted: [named] } },
      '400': { description: 'Not a list of tools.', example: errorExample('"tools" must be a list of …') },
      '404': {
        description: 'No such tool.',
        example: errorExample('there is no tool "erase" of the server "notes"'),
      },
      '409': {
        description: 'It is defined otherwise by now; nothing was accepted.',
        example: errorExample(
          'the tool "erase" of the server "notes" is not defined as it was shown; look at it again',
        ),
      },
    },
  },
];
