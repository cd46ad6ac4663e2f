import { z } from 'zod';
import { approval, standingApproval } from './approval.ts';
import { pendingInput } from './input.ts';
import { message } from './message.ts';
import { count, nextCursor, time, uuid } from './scalars.ts';
import { agentSource, usage } from './usage.ts';

const limitUse = z.object({ used: z.number(), most: z.number() });

/** The latest run of a conversation. */
export const run = z
  .object({
    id: uuid(),
    status: z.enum(['working', 'waiting', 'completed', 'failed', 'canceled']),
    paused: z
      .object({
        by: z.string().optional(),
        reason: z.string().optional(),
        at: time().optional(),
        agent: z.string().optional().describe('At a limit: the agent that has used what it may'),
        reached: z
          .object({ max_tokens: limitUse, max_cost: limitUse, max_agent_calls: limitUse })
          .partial()
          .optional()
          .describe('At a limit: what of it is used up, and so needs a new limit if a resume names any'),
      })
      .optional(),
    usage: usage.optional(),
    agent_source: agentSource.optional(),
  })
  .meta({ id: 'Run' });

/** Something that a run waits for. */
export const wait = z
  .object({
    kind: z
      .string()
      .describe(
        'People: pause, approval, input, auth. Else model, agent, tool_server, tool_bridge, tool_turn, registry',
      ),
    name: z.string().optional(),
    since: time().optional(),
    next_try_at: time().optional(),
    reason: z.string().optional(),
    text: z.string().describe('All of it as a sentence'),
  })
  .meta({ id: 'Wait' });

/** Where a node of a tree waits. */
const pipelineState = z
  .object({
    paused_node_path: z.array(count()).describe('Places of the children on the way to the node'),
    paused_node_output_key: z.string(),
    session_state: z.record(z.string(), z.string()),
    user_message: z.string(),
    node: z.string(),
    step_id: z.string(),
    approvals: z.array(uuid()),
  })
  .meta({ id: 'PipelineState' });

/** A conversation. */
export const conversation = z
  .object({
    id: uuid(),
    session_id: z.string().optional(),
    context_id: z.string(),
    status: z.enum(['active', 'waiting_approval', 'completed']),
    title: z.string(),
    run: run.optional().describe('The latest one; absent before the first message'),
    waiting_for: z.array(wait).optional().describe('All that the run waits for, people first'),
    messages: z.array(message).optional().describe('Absent where they were not asked for'),
    message_count: count(),
    pending_approval: approval.optional().describe('The oldest one'),
    pending_approvals: z.array(approval),
    pending_approvals_total: count().optional().describe('Of very many, which are not all shown here'),
    pipeline_state: pipelineState.optional().describe('Of the node that waits longest'),
    pipeline_states: z.array(pipelineState).optional(),
    pending_inputs: z.array(pendingInput).optional(),
    standing_approvals: z.array(standingApproval).optional(),
    auth_prompt: z.string().optional(),
    revision: count(),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'Conversation' });

/** A conversation by itself. */
export const conversationAnswer = z.object({ conversation });

/** A page of conversations. */
export const conversationPage = z.object({
  conversations: z.array(conversation),
  summary: z.object({ total: count(), active: count(), waiting_approval: count(), completed: count() }),
  next_cursor: nextCursor(),
  position: count().describe('Place in the log as of which this is'),
});

/** What a message, a decision or an answer came to. */
const result = z
  .object({
    response: z.string(),
    waiting_approval: z.boolean(),
    approval: approval.optional(),
    approvals: z.array(approval),
    auth_required: z.boolean(),
    input_required: z.literal(true).optional(),
    inputs: z.array(pendingInput).optional(),
    error: z.string().optional(),
    notice: z.string().optional().describe('What became of a message that was not stored'),
  })
  .meta({ id: 'Result' });

/** A conversation with what the request came to; `result` is absent if no run was asked for. */
export const settledTurn = z
  .object({
    error: z.string().optional().describe('The message was not taken, or the run failed'),
    conversation,
    result: result.optional(),
  })
  .meta({ id: 'SettledTurn' });

/** A conversation whose run goes on. */
export const workingTurn = z.object({ conversation, run }).meta({ id: 'WorkingTurn' });
