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
  const sent = read(req, membersOf(schema));
  return { sent, said: saidBy(schema, sent) };
}

/** The members of a body, in the order in which errors list them. */
export const membersOf = (schema: z.ZodObject): readonly string[] => Object.keys(schema.shape);

/**
 * What a body says that was read already, for routes that look at something else before its members.
 *
 * @param order - members in the order in which they are looked at, where that is not the one of the schema.
 * @throws DomainError `invalid_argument` in the words of the schema.
 */
export function saidBy<T extends z.ZodType>(schema: T, sent: unknown, order: readonly PropertyKey[] = []): z.output<T> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues.toSorted(
    (a, b) => place(a, order) - place(b, order) || itemOf(a) - itemOf(b) || unknownFirst(a) - unknownFirst(b),
  );
  throw invalidArgument(first?.message ?? 'invalid request body');
}

const place = ({ path: [member = ''] }: z.core.$ZodIssue, order: readonly PropertyKey[]): number =>
  order.indexOf(member);

/** The item of a list that an issue is about: items are looked at one after the other. */
const itemOf = ({ path }: z.core.$ZodIssue): number => (typeof path[1] === 'number' ? path[1] : -1);

/** Of an item it is told first what it must not hold. */
const unknownFirst = ({ code }: z.core.$ZodIssue): number => (code === 'unrecognized_keys' ? 0 : 1);
