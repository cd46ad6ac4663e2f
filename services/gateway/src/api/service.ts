import { z } from 'zod';
import { wait } from './conversation.ts';
import { anyObject, count, time, uuid } from './scalars.ts';

/** Whether something can be recorded now. */
export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  reason: z.string().optional().describe('Of degraded: why'),
});

/** The description of the API as a list. */
export const apiList = z.object({
  title: z.string(),
  description: z.string(),
  version: z.string(),
  endpoints: z.array(
    z.object({
      method: z.string(),
      path: z.string(),
      summary: z.string(),
      description: z.string(),
      request: z
        .object({
          content_type: z.string(),
          schema: z.record(z.string(), z.object({ type: z.string(), description: z.string(), required: z.boolean() })),
          example: z.unknown(),
        })
        .optional(),
      responses: z.record(z.string(), z.object({ description: z.string(), example: z.unknown() })),
    }),
  ),
});

/** The description of the API as an OpenAPI document. */
export const apiDocument = anyObject();

/** What runs wait for besides people. */
export const waitList = z.object({
  waits: z.array(
    wait
      .extend({
        runs: count().describe('How many runs wait for it'),
        conversation_ids: z.array(uuid()).describe('Theirs, those that wait longest first, ten at most'),
      })
      .meta({ id: 'SharedWait' }),
  ),
});

/** What the processes of the platform have logged that somebody should look at. */
export const alarmList = z.object({
  alarms: z.array(
    z
      .object({
        level: z.enum(['warn', 'error']),
        message: z.string(),
        fields: anyObject().optional().describe('What the last line said beside its message'),
        count: count().describe('How often it was written'),
        first_at: time(),
        last_at: time(),
        service: z.string(),
        instance: z.string(),
      })
      .meta({ id: 'Alarm' }),
  ),
  processes: z.array(
    z.object({
      service: z.string(),
      address: z.string().optional(),
      instance: z.string().optional(),
      answers: z.boolean(),
    }),
  ),
});
