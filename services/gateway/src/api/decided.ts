import { z } from 'zod';
import { approval, approvalAnswer } from './approval.ts';
import { settledTurn } from './conversation.ts';
import { error } from './error.ts';
import { uuid } from './scalars.ts';

/** What a decision came to; whoever may not see the conversation is shown the approval alone. */
export const decided = z.union([settledTurn, approvalAnswer]);

/** What each of many decisions came to, in their order. */
export const decidedMany = z.object({
  results: z.array(
    z.union([
      z.object({ uuid: uuid(), status: z.literal(200), approval: approval.optional() }),
      error.extend({ uuid: uuid(), status: z.int().min(400) }),
    ]),
  ),
});
