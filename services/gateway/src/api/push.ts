import { z } from 'zod';
import { count, time } from './scalars.ts';

const config = z
  .object({
    id: z.string(),
    url: z.string().optional(),
    protocol_version: z.string().optional(),
    webhook: z.string().optional().describe('In the place of an address: a webhook of the configuration'),
    authentication: z.object({ scheme: z.string() }).optional(),
    status: z.enum(['ok', 'failing', 'given_up']),
    created_at: time().optional(),
    deliveries: count(),
    delivered_at: time().optional(),
    through_revision: count(),
    failures: count(),
    failure: z.string().optional(),
    failed_at: time().optional(),
  })
  .meta({ id: 'PushConfig' });

/** Who is told of a conversation, and how far. */
export const pushList = z.object({ configs: z.array(config) });
