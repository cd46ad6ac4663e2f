import { z } from 'zod';
import { count, time } from './scalars.ts';
import { pinState } from './tool.ts';

/** How one bridge finds one tool server. */
const toolServer = z
  .object({
    name: z.string(),
    bridge: z.string(),
    transport: z.string(),
    address: z.string(),
    state: z.enum([
      'starting',
      'ready',
      'not_offered',
      'degraded',
      'backoff',
      'crash_loop',
      'quarantined',
      'stopped',
      'unknown',
    ]),
    since: time(),
    reason: z.string().optional(),
    retry_after_ms: count().optional(),
    last_error: z.object({ text: z.string(), at: time() }).optional(),
    protocol: z.object({ era: z.string(), version: z.string() }).optional(),
    restarts: count(),
    tools: count(),
    tools_held: count(),
    tools_deselected: count(),
    instructions: pinState.optional(),
    identity: z.string().optional(),
    pins_strict: z.boolean(),
    left_out: z.array(z.object({ name: z.string(), reason: z.string() })),
    problems: z.array(z.string()),
    calls: z.object({ running: count(), waiting: count(), at_once: count() }),
  })
  .meta({ id: 'ToolServer' });

/** The tool servers, as each bridge finds them. */
export const serverList = z.object({
  servers: z.array(toolServer),
  bridges: z.array(z.object({ instance: z.string().optional(), address: z.string().optional(), answers: z.boolean() })),
});
