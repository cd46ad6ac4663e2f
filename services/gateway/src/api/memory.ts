import { z } from 'zod';
import { count, nextCursor, time, uuid } from './scalars.ts';

/** Something that an agent remembers. */
const memory = z
  .object({
    key: z.string(),
    agent: z.string(),
    value: z.unknown(),
    expires_at: time().nullable(),
    created_at: time(),
    saved_at: time(),
    saved_by: z.object({ kind: z.string(), id: z.string(), claimed: z.boolean() }),
    conversation_id: uuid().nullable(),
    run_id: uuid().nullable(),
    step_id: z.string().nullable(),
    revision: count(),
  })
  .meta({ id: 'Memory' });

/** A page of what an agent remembers. */
export const memoryPage = z.object({ memories: z.array(memory), next_cursor: nextCursor(), total: count() });

/** What is remembered under a key. */
export const memoryAnswer = z.object({ memory });

/** What is remembered no more. */
export const removedMemory = z.object({ removed: z.string() });
