import { z } from 'zod';
import { count, time, uuid } from './scalars.ts';
import { agentSource, usage } from './usage.ts';

const completion = z.object({
  status: z.enum(['SUCCESS', 'PARTIAL', 'FAILED']),
  result: z.string(),
  confidence: z.number().min(0).max(1).optional(),
  requires_followup: z.boolean(),
});

/** One agent's work in a run. */
const step = z
  .object({
    id: z.string(),
    agent: z.string(),
    parent: z.string().optional().describe('The step of the agent that called it'),
    state: z.enum(['WORKING', 'BLOCKED_ON_INPUT', 'BLOCKED_ON_DEPENDENCY', 'COMPLETED', 'FAILED', 'CANCELED']),
    waits_for: z
      .array(z.object({ kind: z.enum(['agent', 'approval', 'in_doubt', 'input', 'auth']), id: z.string() }))
      .optional(),
    error: z.string().optional(),
    ended_by: z.enum(['person', 'time', 'limit']).optional(),
    input: z.string().describe('Its task'),
    completion: completion.optional(),
    agent_source: agentSource.optional(),
    usage,
    turns: count(),
    tool_calls: count(),
    agent_calls: count(),
    limits: z
      .object({ max_tokens: z.number(), max_cost: z.number(), max_agent_calls: z.number() })
      .partial()
      .optional()
      .describe('How much people let it use in all, where that is not what its file says'),
    shared_keys: z.array(z.string()).optional(),
    started_at: time(),
    ended_at: time().optional(),
  })
  .meta({ id: 'Step' });

/** The agents of the latest run of a conversation. */
export const stepList = z.object({
  run: z
    .object({ id: uuid(), status: z.enum(['none', 'working', 'waiting', 'completed', 'failed', 'canceled']) })
    .optional(),
  steps: z.array(step),
});
