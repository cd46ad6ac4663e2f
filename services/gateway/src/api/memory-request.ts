import { z } from 'zod';
import { timeText } from './people-request.ts';
import { malformedText } from './request.ts';

const timeBytesMax = 64;

/** Body that has an agent remember something. */
export const setMemory = z.strictObject({
  value: z
    .unknown()
    .refine((value) => value !== undefined, { error: malformedText('"value" is required: any JSON value') })
    .describe('What is to be remembered.'),
  expires_at: timeText(timeBytesMax).describe('When it is to be forgotten; absent: never.'),
});
