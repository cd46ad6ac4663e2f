import { z } from 'zod';
import { agentNameBytesMax, callDepthMax, cancelReasonBytesMax, revisionBytesMax } from '../bounds.ts';
import { newLimits } from './new-limits.ts';
import { malformedText, requiredText, text } from './request.ts';

const missing = 'message is required';
const isSaid = (message: string): boolean => message.trim() !== '';
const depth = malformedText(`"max_call_depth" must be a whole number from 1 to ${callDepthMax}`);

/** What a message asks of its run. */
const wishes = {
  git_commit: text(revisionBytesMax).describe(
    'With a message: the commit, branch or tag at which an agent from git is taken for its run; without it as it is now. Where people sign in, another commit than the one that is synced is for administrators.',
  ),
  max_call_depth: z
    .int({ error: depth })
    .min(1, { error: depth })
    .max(callDepthMax, { error: depth })
    .nullish()
    .describe(
      'With a message: how many agents from git may call one below another in its run, its own counted as the first; at most, and without it, as many as the configuration says.',
    ),
};

const ofRun = (name: string): string => `"${name}" is of the run of a message: send it with one`;

/** Body of a request that opens a conversation. `messageBytesMax`: bytes of UTF-8 that a message may have. */
export const createConversation = (messageBytesMax: number) =>
  z
    .strictObject({
      message: text(messageBytesMax)
        .refine((message) => !message || isSaid(message), { error: missing })
        .describe('A first message to process at once, at most 64 KiB of UTF-8 unless configured otherwise'),
      agent: text(agentNameBytesMax).describe('The agent from git that is to answer; without it the configured one.'),
      ...wishes,
    })
    .refine(({ message, git_commit: commit }) => !!message || !commit, { error: ofRun('git_commit'), abort: true })
    .refine(({ message, max_call_depth: asked }) => !!message || asked === undefined || asked === null, {
      error: ofRun('max_call_depth'),
    });

/** Body of a request that sends a message to a conversation. */
export const sendMessage = (messageBytesMax: number) =>
  z.strictObject({
    message: requiredText(messageBytesMax, missing)
      .refine(isSaid, { error: missing })
      .describe('The message, at most 64 KiB of UTF-8 unless configured otherwise'),
    ...wishes,
  });

/** Body of a request that says why. */
export const explained = z.strictObject({ reason: text(cancelReasonBytesMax).describe('Why, at most 1 KiB') });

/** Body of a request that says nothing. */
export const nothing = z.strictObject({});

/** Body of a request that has a run go on. */
export const resumed = z.strictObject({ limits: newLimits });
