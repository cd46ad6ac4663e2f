import { z } from 'zod';
import { decidedWord, identity } from './approval.ts';
import { conversation, run } from './conversation.ts';
import { time } from './scalars.ts';

/** An error as every route answers it. */
export const error = z
  .object({
    error: z.string().describe('What is wrong, and what to do'),
    error_id: z.string().optional().describe('Of a defect: the log says more under it'),
    reason: z.string().optional().describe('Which of several causes it is, as a word'),
    choices: z.array(z.string()).optional(),
    decision: decidedWord.optional().describe('What was decided before'),
    decided_by: z.string().optional(),
    decided_by_identity: identity.optional(),
    decided_at: time().optional(),
    missing: z.string().optional().describe('Of voted: how many more have to say yes'),
    how: z.string().optional().describe('What became of a question'),
    by: z.string().optional().describe('Who settled it'),
    at: time().optional().describe('When'),
    why: z.string().optional(),
    status: z.string().optional().describe('Of a run that does not go on: how it stands'),
    field: z.string().optional().describe('The member that is wrong'),
    user_id: z.string().optional().describe('Of exists: who has it'),
    revision: z.string().optional().describe('Of revision: the one that it has'),
    recorded: z.string().optional().describe('Of disk_full: nothing'),
    pin: z.string().optional().describe('Of pin_changed: the one that the tool has'),
  })
  .meta({ id: 'Error' });

/** The run of the last message goes on; this one was not taken. */
export const busy = z.object({ error: z.literal('conversation is busy'), run, conversation }).meta({ id: 'Busy' });
