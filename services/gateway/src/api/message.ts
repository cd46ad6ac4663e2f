import { z } from 'zod';
import { anyObject, count, time } from './scalars.ts';

/** Bytes of a result beside its text, read at /conversations/{id}/blobs/{digest}. */
const blob = z
  .object({
    digest: z.string().describe('SHA-256 of the bytes'),
    media_type: z.string(),
    size: count().describe('Bytes'),
    name: z.string().optional(),
  })
  .meta({ id: 'Blob' });

const toolCall = z
  .object({
    name: z.string(),
    arguments: z.union([anyObject(), z.string(), z.null()]).describe('null of a result; a text if it is not JSON'),
    result: z.string().optional().describe('Of a result'),
    is_error: z.boolean().optional(),
    blobs: z.array(blob).optional(),
    structured_content: z.unknown().optional().describe('What the tool returned as JSON beside the text'),
    auto_approved: z.literal(true).optional().describe('A rule, and no person, let it run'),
  })
  .meta({ id: 'ToolCall' });

/** A message: text, the request of a tool call, or its result. */
export const message = z
  .object({
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    node: z.string().optional().describe('The node of the tree that said it'),
    tool_call: toolCall.optional(),
    created_at: time(),
  })
  .meta({ id: 'Message' });
