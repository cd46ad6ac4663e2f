import { z } from 'zod';
import { pageItemsDefault, pageItemsMax } from '../bounds.ts';

/** Parameters of a list in pages. */
export const page = {
  limit: z.int().min(1).max(pageItemsMax).default(pageItemsDefault).describe('Items of a page'),
  cursor: z.string().optional().describe('next_cursor of the page before'),
};

/** Parameters of the list of conversations. */
export const listConversations = z.object({
  status: z.enum(['active', 'waiting_approval', 'completed']).optional(),
  q: z.string().optional().describe('Words to search for'),
  include: z.literal('messages').optional().describe('With their messages; a page may then end early'),
  ...page,
});

/** Parameters of a conversation. */
export const getConversation = z.object({
  revision: z.int().min(1).optional().describe('As it stood at that event'),
});

/** Parameters of the events of a conversation. */
export const followConversation = z.object({
  from: z.int().min(1).optional().describe('The revision to begin with; Last-Event-ID counts before it'),
});

const narrowed = {
  status: z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn']).optional(),
  conversation: z.string().optional().describe('Id of a conversation'),
  tool: z.string().optional().describe('* stands for any characters, ? for one'),
  server: z.string().optional(),
  node: z.string().optional(),
  agent: z.string().optional().describe('Name of the agent of the conversation'),
  requested_before: z.string().optional().meta({ format: 'date-time' }),
};
const mine = {
  may_decide: z.literal('me').optional().describe('What whoever is signed in may decide'),
  assignee: z.string().optional().describe('me, none, an e-mail address, or a claimed name'),
};

/** Parameters of the list of approvals. */
export const listApprovals = z.object({
  ...narrowed,
  overdue: z.literal('true').optional().describe('What waits longer than it should'),
  ...mine,
  ...page,
});

/** Parameters of the events of approvals. */
export const followApprovals = z.object({
  ...narrowed,
  ...mine,
  also: z
    .literal('may_decide')
    .optional()
    .describe('Beside what the list would show, what whoever is signed in may decide in conversations of others'),
  after: z.string().optional().describe('The id of an event to go on after; Last-Event-ID counts before it'),
});

/** Parameters of the list of what people are asked. */
export const listInputs = z.object({
  status: z.literal('pending').optional().describe('What waits for an answer: all that is listed'),
  ...page,
});

/** Parameters of a list in pages, and of nothing else. */
export const pageOnly = z.object(page);

/** Parameters of the list of what an agent remembers. */
export const listMemories = z.object({
  query: z.string().optional().describe('Words, each of which the key or the value holds'),
  ...page,
});

/** Parameters of the list of agents. */
export const listAgents = z.object({
  repository: z.string().optional(),
  q: z.string().optional().describe('Words, each of which name, description or tags hold'),
  ...page,
});

const commit = z.string().optional().describe('A commit, a branch or a tag');
const some = z.int().min(1).max(100).optional();

/** Parameters of an agent. */
export const getAgent = z.object({ commit, history: some.describe('How many of the latest commits are shown') });

/** Parameters of the history of an agent. */
export const agentHistory = z.object({ commit, limit: some });

/** Parameters of what differs in an agent. */
export const diffAgent = z.object({ from: commit, to: commit });
