// What bodies of requests are made of. Each error is a whole sentence, as clients have always been told it.
import { byteLength } from '@stopgo/core';
import { z } from 'zod';

/** An issue as zod hands it to whoever words it. */
export type Issue = {
  readonly code?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[];
};

/** The member that an issue is about, in quotes, such as `"message"` or `"tools[0].pin"`. */
export const named = ({ path = [] }: Issue): string =>
  `"${path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('')}"`;

/** How a body is refused that does not have the form it is to have. */
export const malformedText = (reason: string): string => `invalid request body: ${reason}`;

/** Words an issue of which nothing more is known than the type that was expected. */
const mustBe =
  (what: string) =>
  (issue: Issue): string =>
    malformedText(`${named(issue)} must be ${what}`);

/** Checks that every text passes, in this order; the first one that fails is told. */
const sound = (of: z.ZodString, bytesMax: number, name: (issue: Issue) => string = named) =>
  of
    .refine((text) => !text.includes('\0'), {
      error: (issue) => `${name(issue)} holds a NUL character; leave it out`,
      abort: true,
    })
    .refine((text) => byteLength(text) <= bytesMax, {
      error: (issue) =>
        `${name(issue)} has ${byteLength(String(issue.input))} bytes of UTF-8; at most ${bytesMax} are allowed`,
      abort: true,
    });

/** A text of at most so many bytes of UTF-8. Absent and null are the same. */
export const text = (bytesMax: number) => sound(z.string({ error: mustBe('a text') }), bytesMax).nullish();

/** A text that has to be there. `missing`: what is said if it is not. */
export const requiredText = (bytesMax: number, missing: string) =>
  sound(
    z.string({
      error: (issue) => (issue.input === undefined || issue.input === null ? missing : mustBe('a text')(issue)),
    }),
    bytesMax,
  );

/** A text with at least one character, in an item of a list. It is named without the place of the item, which `missing` says. */
export const itemText = (name: string, bytesMax: number, missing: (issue: Issue) => string) =>
  sound(
    z.string({
      error: (issue) =>
        issue.input === undefined || issue.input === null ? missing(issue) : malformedText(`"${name}" must be a text`),
    }),
    bytesMax,
    () => `"${name}"`,
  ).min(1, { error: missing });

/** Yes or no. Absent and null are the same. */
export const flag = () => z.boolean({ error: mustBe('true or false') }).nullish();

/** The name of who acts, beside the header `X-Approver`. */
export const by = (bytesMax: number, description: string) => text(bytesMax).describe(description);
