import { z } from 'zod';
import { anyObject } from './scalars.ts';

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
