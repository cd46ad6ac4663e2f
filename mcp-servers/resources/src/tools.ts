import type { Tool } from '@modelcontextprotocol/server';

/** What the server offers, with every hint said outright, because a client takes an absent one for the worst case. */
export const tools = [
  {
    name: 'resources_add',
    description: 'Add a new resource with a name and integer value',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the resource' },
        value: { type: 'integer', description: 'Integer value of the resource' },
      },
      required: ['name', 'value'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'resources_remove',
    description: 'Remove resources by ID or by name pattern (regex)',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'ID of the resource to remove' },
        pattern: {
          type: 'string',
          description: 'RE2 regular expression; every resource whose name contains a match is removed',
        },
      },
    },
    // Not idempotent: a repeated pattern also removes what was added in between.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'resources_list',
    description: 'List resources, optionally filtered by name pattern (regex)',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'RE2 regular expression that the name must contain a match of' },
      },
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
] as const satisfies readonly Tool[];

export type ToolName = (typeof tools)[number]['name'];
