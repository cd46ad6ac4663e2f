import { type Role, roleNamed, roles } from '@stopgo/core';
import { z } from 'zod';
import { timeFrom } from '../time-text.ts';
import { malformedText, requiredText, text } from './request.ts';

const textBytesMax = 4_096;

const required = (name: string) => requiredText(textBytesMax, malformedText(`"${name}" is required`));

const role = () =>
  text(textBytesMax)
    .refine((word) => isAbsent(word) || roleNamed(word) !== undefined, {
      error: malformedText(`"role" must be one of ${roles.join(', ')}`),
    })
    .transform((word): Role | undefined => (isAbsent(word) ? undefined : roleNamed(word)));

/** Body that creates a user. */
export const createUser = z.strictObject({
  email: required('email').describe('Whom tokens name; it never changes'),
  name: required('name').describe('Shown to people'),
  role: role().describe('USER (default), ADMIN or SUPER_ADMIN'),
});

/** Body that changes a user. */
export const changeUser = z.strictObject({
  name: text(textBytesMax).describe('Shown to people'),
  role: role().describe('USER, ADMIN or SUPER_ADMIN'),
  active: z
    .boolean({ error: malformedText('"active" must be true or false') })
    .optional()
    .describe('false: nothing that they present is taken'),
});

/** A time of a request, in milliseconds since 1970. */
export const timeText = (bytesMax: number) =>
  text(bytesMax)
    .refine((time) => isAbsent(time) || timeFrom(time) !== undefined, {
      error: malformedText('"expires_at" must be a time such as 2027-01-31T12:00:00Z'),
    })
    .transform((time) => (isAbsent(time) ? undefined : timeFrom(time)));

const noScopes = malformedText('"scopes" names none; leave it out for a key that may do all that its user may');
const notScopes = malformedText('"scopes" must be a list of texts');

/** Body that makes an API key. */
export const issueKey = z.strictObject({
  name: required('name').describe('What it is for'),
  scopes: z
    .array(z.string({ error: notScopes }), { error: notScopes })
    .min(1, { error: noScopes })
    .optional()
    .describe('read, converse, approve, admin'),
  expires_at: timeText(textBytesMax).describe('When it ends (RFC 3339)'),
});

const isAbsent = (text: string | null | undefined): text is null | undefined => text === null || text === undefined;
