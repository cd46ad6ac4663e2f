import { z } from 'zod';
import { anyObject } from './scalars.ts';

const hint = z
  .object({
    value: z.boolean(),
    from: z.enum(['annotations', 'top_level', 'read_only', 'configuration', 'default']),
  })
  .meta({ id: 'Hint' });

export const pinState = z.enum(['first_use', 'accepted', 'new', 'changed']);

/** A tool that the agent can use. */
const tool = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: anyObject().describe('JSON Schema of the arguments'),
    destructiveHint: z.boolean().describe('Calls wait for an approval'),
    approval: z.literal('require').optional().describe('So do all calls of it'),
    annotations: anyObject().optional(),
    hints: z
      .object({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
      .optional()
      .describe('What holds in the end, and where it comes from'),
    pin: z.string().optional().describe('SHA-256 of the definition'),
    pin_state: pinState.optional(),
    server: z.string().optional().describe('Absent of another agent'),
    own_name: z.string().optional().describe('What its server calls it, if that is another name'),
  })
  .meta({ id: 'Tool' });

/** All tools. */
export const toolList = z.object({ tools: z.array(tool) });

const change = z.object({ path: z.string(), before: z.string().optional(), after: z.string().optional() });

/** A tool that is held until somebody accepts it. */
const heldTool = z
  .object({
    server: z.string(),
    name: z.string(),
    state: z.enum(['new', 'changed']),
    pin: z.string(),
    accepted_pin: z.string().optional(),
    destructiveHint: z.boolean(),
    changes: z.array(change),
    definition: anyObject().optional(),
    accepted_definition: anyObject().optional(),
  })
  .meta({ id: 'HeldTool' });

/** All tools that are held. */
export const heldToolList = z.object({ tools: z.array(heldTool) });

/** The tools that are accepted now. */
export const acceptedTools = z.object({
  accepted: z.array(z.object({ server: z.string(), name: z.string(), pin: z.string() })),
});
