import { z } from 'zod';
import { by } from './request.ts';

/** Names and pins are short; a tool's name is the longest of them. */
const textBytesMax = 1_024;

/** A tool as it was shown. */
export const shownTool = z.strictObject({ server: z.string(), name: z.string(), pin: z.string() });

/** Body that accepts tools. */
export const acceptTools = z.strictObject({
  tools: z.array(shownTool).min(1).describe('The tools: server, name and pin of each'),
  by: by(textBytesMax, 'Who accepts them'),
});
