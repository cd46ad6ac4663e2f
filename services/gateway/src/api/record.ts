import { z } from 'zod';
import { conversation } from './conversation.ts';
import { actor } from './event.ts';
import { anyObject, count, time } from './scalars.ts';

/** Whether the record of a conversation is sound. */
export const verification = z.object({
  sound: z.boolean(),
  events: count(),
  problems: z.array(z.string()),
  head: z
    .object({ stream: z.string(), revision: count(), hash: z.string() })
    .optional()
    .describe('It stands for all events until then'),
  verified_at: time(),
});

const exportedEvent = z.object({
  revision: z.int().min(1),
  event_id: z.string(),
  at: z.string(),
  actor,
  type: z.string(),
  value: anyObject(),
  envelope_base64: z.string().describe('The bytes that the hash is of'),
  hash: z.string(),
});

/** All there is of a conversation. */
export const exportedConversation = z.object({
  stream: z.string(),
  conversation,
  events: z.array(exportedEvent),
});
