import { z } from 'zod';
import { count, nextCursor, time, uuid } from './scalars.ts';

/** What a tool server asks a person in the midst of a call, or what an agent asks. */
export const pendingInput = z
  .object({
    id: uuid(),
    conversation_id: uuid(),
    mode: z.enum(['form', 'url', 'file']),
    server: z.string().optional(),
    agent: z.string().optional(),
    input_type: z.enum(['text', 'choice', 'approval', 'structured_data', 'file']).optional(),
    required: z.boolean().optional(),
    tool: z.string(),
    node: z.string().optional(),
    call_id: z.string(),
    message: z.string(),
    requested_schema: z.unknown().optional().describe('JSON Schema of the values of a form'),
    url: z.string().optional().describe('Where to go, of mode url'),
    choices: z.array(z.enum(['accept', 'decline', 'cancel'])),
    requested_at: time(),
    expires_at: time().optional(),
  })
  .meta({ id: 'PendingInput' });

/** A page of questions. */
export const inputPage = z.object({
  inputs: z.array(pendingInput),
  next_cursor: nextCursor(),
  total: count().describe('How many wait in all; 10000 stands for that many or more'),
});
