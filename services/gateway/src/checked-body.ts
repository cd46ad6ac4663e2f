import { invalidArgument } from '@stopgo/core';
import { type JsonObject, objectBody } from '@stopgo/http';
import type { Request } from 'express';
import type { z } from 'zod';

/** A body as it was sent, and what it says by its schema. */
export type CheckedBody<T extends z.ZodObject> = { readonly sent: JsonObject; readonly said: z.output<T> };

/**
 * The body of a request, checked against its schema. What is wrong first is told: that it is no JSON object, then a member that is not
 * known, then the members in the order in which the schema has them.
 *
 * @param read - how the body is read: `objectBody`, or `exactObjectBody` for one that is kept and sent on as values.
 * @throws DomainError `invalid_argument` in the words of the schema.
 */
export function checkedBody<T extends z.ZodObject>(
  req: Request,
  schema: T,
  read: (req: Request, members: readonly string[]) => JsonObject = objectBody,
): CheckedBody<T> {
  const sent = read(req, Object.keys(schema.shape));
  const parsed = schema.safeParse(sent);
  if (parsed.success) return { sent, said: parsed.data };
  throw invalidArgument(parsed.error.issues[0]?.message ?? 'invalid request body');
}
