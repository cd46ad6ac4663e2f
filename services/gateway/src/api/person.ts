import { roles } from '@stopgo/core';
import { z } from 'zod';
import { count, nextCursor, time, uuid } from './scalars.ts';

/** A user. */
const user = z
  .object({
    id: uuid(),
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    active: z.boolean(),
    groups: z.array(z.string()),
    created_at: time(),
    last_login_at: time().nullable(),
  })
  .meta({ id: 'User' });

/** An API key, without its text. */
const apiKey = z
  .object({
    id: uuid(),
    name: z.string(),
    prefix: z.string().describe('How its text begins'),
    scopes: z.array(z.string()).describe('None: all that its user may'),
    created_at: time(),
    expires_at: time().nullable(),
    revoked_at: time().nullable(),
    last_used_at: time().nullable(),
  })
  .meta({ id: 'ApiKey' });

const withText = apiKey.extend({ text: z.string().describe('Shown this once') }).meta({ id: 'ApiKeyWithText' });

/** Who asks. */
export const me = z.object({
  user: user.nullable(),
  may: z.string().optional(),
  via: z.string().optional(),
  scopes: z.array(z.string()).optional(),
});

/** A page of users. */
export const userPage = z.object({ users: z.array(user), total: count(), next_cursor: nextCursor() });

/** A user by itself. */
export const userAnswer = z.object({ user });

/** A user who was just made; the first one with a key. */
export const createdUser = z.object({ user, key: withText.optional(), note: z.string().optional() });

/** API keys of a user. */
export const keyPage = z.object({ keys: z.array(apiKey), next_cursor: nextCursor() });

/** An API key by itself. */
export const keyAnswer = z.object({ key: apiKey });

/** An API key that was just made. */
export const issuedKey = z.object({ key: withText, note: z.string() });
