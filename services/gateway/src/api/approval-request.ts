import { saidBytesMax, textBytesMax } from '@stopgo/core';
import { z } from 'zod';
import { decisionsMax } from '../bounds.ts';
import { givenFile } from './given-file.ts';
import { by, requiredText, text } from './request.ts';
import { anyObject, uuid } from './scalars.ts';

const nameBytesMax = 512;
const whoDecides = 'Who decides, 1 to 128 printable characters; X-Approver says the same';

/** Body of a decision. Which words decide, and what goes with which, is read by `parseDecision`. */
export const decision = z.strictObject({
  approved: z.boolean().optional().describe('True approves, false rejects'),
  action: z.string().optional().describe('The decision as a word'),
  answer: z.string().optional().describe('The decision as a word'),
  result: text(textBytesMax).describe('With the action happened: what came of the call, at most 256 KiB'),
  reason: text(saidBytesMax).describe('Why, at most 4 KiB; a model whose call is rejected is told, and goes on'),
  arguments: anyObject()
    .optional()
    .describe(
      'With an approval: the arguments that the call is to have, at most 64 KiB; checked against the schema of its tool',
    ),
  by: z.string().optional().describe(whoDecides),
});

/** Body of many decisions. */
export const decisions = z.strictObject({
  decisions: z
    .array(z.strictObject({ uuid: uuid(), ...decision.omit({ arguments: true }).shape }))
    .min(1)
    .max(decisionsMax)
    .describe('Each has uuid, and what the body of a single decision has'),
  by: z.string().optional().describe('Who decides, where a decision does not say it'),
});

const toWhom = '"to" must be an e-mail address, or me; where nobody signs in, a name or me';
const whoSaysSo = 'Who says so, 1 to 128 printable characters; X-Approver says the same';

/** Body that says who is to look at an approval. */
export const assignTo = z.strictObject({
  to: requiredTo().describe('me, or the e-mail address of a user; where nobody signs in, a name, which is a claim'),
  by: by(nameBytesMax, whoSaysSo),
});

/** Body that says nothing but who acts. */
export const bySomebody = z.strictObject({ by: by(nameBytesMax, whoSaysSo) });

/** The same of a decision. */
export const decidedBySomebody = z.strictObject({ by: by(nameBytesMax, whoDecides) });

const howFar = '"arguments" must be same or any: whether calls with other arguments run as well';

/** Body that has the like of a call run without asking. What is said so widely has to be said in so many words. */
export const grantStanding = z.strictObject({
  arguments: z.enum(['same', 'any'], { error: howFar }).describe('same, or any'),
  by: by(nameBytesMax, whoDecides),
});

const actions =
  '"action" must be accept, decline or cancel; with accept, "content" holds the values, or "file" the file';

/** Body of an answer to what a tool server, or an agent, asks people. */
export const provideInput = z.strictObject({
  action: z.enum(['accept', 'decline', 'cancel'], { error: actions }).describe('accept, decline or cancel'),
  content: z
    .unknown()
    .optional()
    .meta({ type: 'object', description: 'With accept of a form: the values that requested_schema describes' }),
  file: givenFile.nullish().describe('With accept where mode is file: name, media_type, and the bytes as base64'),
  by: by(nameBytesMax, 'Who answers, 1 to 128 printable characters'),
});

/** Somebody's name or address, without blanks around it. */
function requiredTo() {
  return requiredText(nameBytesMax, toWhom)
    .refine((name) => name.trim() !== '', { error: toWhom })
    .transform((name) => name.trim());
}
