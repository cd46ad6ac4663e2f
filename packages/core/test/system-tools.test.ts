import { offeredTo } from '@stopgo/core';
import { expect, test } from 'vitest';
import { platformAgent } from './agents.ts';

/** The tools that every agent of the platform has, as models are told: agents are written for exactly these. */
const text = (description: string, more: object = {}) => ({ type: 'string', ...more, description });
const contract = {
  call_agent: {
    properties: {
      agent_name: text("Name of agent to call (e.g., 'sales/pr-agent', 'external/legal-expert')"),
      input: text('Task description for the agent'),
      context_scope: text('How much context to share with child agent', {
        enum: ['FULL', 'NONE', 'SPECIFIC'],
        default: 'FULL',
      }),
    },
    required: ['agent_name', 'input'],
  },
  complete_agent_execution: {
    properties: {
      result: text('Final result of the task'),
      status: text('Completion status', { enum: ['SUCCESS', 'PARTIAL', 'FAILED'] }),
      confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Confidence in the result (0-1)' },
      requiresFollowup: { type: 'boolean', default: false, description: 'Whether this task needs additional work' },
      metadata: { type: 'object', description: 'Additional structured data about the completion' },
    },
    required: ['result', 'status'],
  },
  request_user_input: {
    properties: {
      prompt: text('Question or prompt to show the user'),
      inputType: text('Type of input expected', { enum: ['text', 'choice', 'file', 'approval'], default: 'text' }),
      choices: {
        type: 'array',
        items: { type: 'string' },
        description: "Available choices if inputType is 'choice'",
      },
      required: { type: 'boolean', default: true, description: 'Whether input is required to continue' },
      timeoutMinutes: { type: 'number', default: 1440, description: 'Minutes to wait before timing out' },
    },
    required: ['prompt'],
  },
  save_memory: {
    properties: {
      key: text('Unique identifier for the data'),
      value: { type: 'object', description: 'Data to save (any JSON value)' },
      expiresAt: text('Optional expiration time', { format: 'date-time' }),
    },
    required: ['key', 'value'],
  },
  load_memory: { properties: { key: text('Identifier of data to retrieve') }, required: ['key'] },
};

test('an agent is offered the tools of the platform by their names, with the schemas that agents are written for', () => {
  const { root: node, platform } = platformAgent('support/tier1');
  if (node.type !== 'llm' || platform === undefined) throw new Error('the agent is another one');
  const offered = [...offeredTo({ node, platform, isRoot: true }, new Map()).values()];
  expect(Object.fromEntries(offered.map(({ name, inputSchemaJson }) => [name, JSON.parse(inputSchemaJson)]))).toEqual(
    Object.fromEntries(Object.entries(contract).map(([name, schema]) => [name, { type: 'object', ...schema }])),
  );
});
