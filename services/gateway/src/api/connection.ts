import { z } from 'zod';
import { time } from './scalars.ts';

/** How the account of whoever asks is at a tool server. */
const connection = z
  .object({
    server: z.string(),
    connected: z.boolean(),
    issuer: z.string().optional().describe('What the authorization server calls itself'),
    scopes: z.array(z.string()).optional(),
    connected_at: time().optional(),
    problem: z.string().optional().describe('Why it is not connected any more, if the authorization server said so'),
  })
  .meta({ id: 'Connection' });

/** The servers at which accounts are connected. */
export const connectionList = z.object({ connections: z.array(connection) });

/** Where the account is connected. */
export const begunConnection = z.object({
  url: z.string().describe('For its user to open'),
  expires_at: time(),
});

/** An account that is connected now. */
export const madeConnection = z.object({ server: z.string(), connected: z.literal(true) });

/** One that is not, any more. */
export const endedConnection = z.object({ server: z.string(), was_connected: z.boolean() });
