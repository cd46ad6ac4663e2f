import { z } from 'zod';
import { anyObject, count, nextCursor, time, uuid } from './scalars.ts';
import { agentSource } from './usage.ts';

/** What was decided. */
export const decidedWord = z.enum(['approved', 'rejected', 'expired', 'withdrawn', 'run_again', 'happened', 'give_up']);

/** Somebody, and whether their name is only what they said. */
export const identity = z
  .object({ name: z.string(), claimed: z.boolean().describe('It is what they said themselves') })
  .meta({ id: 'Identity' });

const assignee = z.object({
  name: z.string(),
  claimed: z.boolean(),
  assigned_by: identity,
  assigned_at: time().optional(),
});

const edited = z.object({
  by: z.string(),
  claimed: z.boolean(),
  said: z.string().optional(),
  replaces: uuid().describe('The approval of the call as it was'),
  tool_args_before: z.union([anyObject(), z.string()]),
});

const vote = z.object({
  decision: decidedWord,
  by: z.string(),
  claimed: z.boolean(),
  entitled_by: z.string().optional(),
  result_sha256: z.string().optional().describe('Of happened: of the result that was told'),
  at: time().optional(),
});

/** Who may decide and who has, where somebody in particular is asked. */
const demand = {
  approvers: z.array(z.string()).optional().describe('E-mail addresses, group:NAME or role:NAME'),
  votes_needed: z.int().min(1).optional(),
  votes: z.array(vote).optional(),
  separation_of_duties: z.literal(true).optional().describe('Who asked for it does not decide it'),
  on_expiry: z.enum(['reject', 'leave']).optional(),
  remind_at: z.array(time()).optional(),
  escalations: z.array(z.object({ at: time().optional(), to: z.array(z.string()) })).optional(),
  reminded: count().optional(),
  escalated: count().optional(),
};

const decision = {
  decision: decidedWord.optional(),
  decided_by: z.string().optional(),
  decided_by_identity: identity.optional(),
  decided_surface: z.string().optional().describe('Where it was said: rest, a2a, link, …'),
  decided_address: z.string().optional(),
  decided_at: time().optional(),
  by_policy: z.literal(true).optional(),
  void: z.literal(true).optional().describe('The definition of the tool has changed since'),
  decision_reason: z.string().optional(),
  said: z.string().optional(),
};

/** A call that waits for people, or what they decided on it. */
export const approval = z
  .object({
    uuid: uuid(),
    conversation_id: uuid(),
    run_id: uuid(),
    kind: z.enum(['tool', 'delegation', 'proxy', 'in_doubt']),
    tool_name: z.string(),
    server: z.string(),
    node: z.string().optional(),
    agent_path: z.array(z.string()).optional().describe('The agents that called one another down to this call'),
    agent_source: agentSource.optional(),
    tool_args: z.union([anyObject(), z.string()]).describe('Exactly as they are sent'),
    description: z.string(),
    description_cut: z.literal(true).optional(),
    choices: z.array(z.string()),
    reason: z.string().optional().describe('Why it is asked for'),
    status: z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn']),
    remote_task_id: z.string().optional(),
    remote_agent_name: z.string().optional(),
    agents: z.array(z.string()).optional(),
    created_at: time(),
    expires_at: time().optional(),
    overdue: z.literal(true).optional(),
    assignee: assignee.optional(),
    edited: edited.optional(),
    replaced_by: uuid().optional(),
    ...demand,
    ...decision,
  })
  .meta({ id: 'Approval' });

/** An approval that stands for the rest of a conversation. */
export const standingApproval = z
  .object({
    id: uuid(),
    approval_id: uuid(),
    server: z.string().optional(),
    tool: z.string(),
    arguments: z.enum(['same', 'any']),
    granted_by: z.string(),
    granted_at: time().optional(),
  })
  .meta({ id: 'StandingApproval' });

/** An approval by itself. */
export const approvalAnswer = z.object({ approval });

/** A page of approvals. */
export const approvalPage = z.object({ approvals: z.array(approval), next_cursor: nextCursor() });

/** How many approvals wait. */
export const approvalCounts = z.object({
  counts: z.object({
    waiting: count(),
    may_decide: count().optional().describe('Of whoever is signed in'),
    overdue: count(),
    assigned_to_me: count().optional().describe('Of whoever is signed in, or sends a name'),
  }),
});
