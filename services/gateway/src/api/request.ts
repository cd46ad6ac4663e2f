// What bodies of requests are made of. Each error is a whole sentence, as clients have always been told it.
import { byteLength } from '@stopgo/core';
import { z } from 'zod';

/** An issue as zod hands it to whoever words it. */
type Issue = { readonly path?: readonly PropertyKey[] | undefined; readonly input?: unknown };

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
const sound = (of: z.ZodString, bytesMax: number) =>
  of
    .refine((text) => !text.includes('\0'), {
      error: (issue) => `${named(issue)} holds a NUL character; leave it out`,
      abort: true,
    })
    .refine((text) => byteLength(text) <= bytesMax, {
      error: (issue) =>
        `${named(issue)} has ${byteLength(String(issue.input))} bytes of UTF-8; at most ${bytesMax} are allowed`,
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

/** Yes or no. Absent and null are the same. */
export const flag = () => z.boolean({ error: mustBe('true or false') }).nullish();

/** The name of who acts, beside the header `X-Approver`. */
export const by = (bytesMax: number, description: string) => text(bytesMax).describe(description);
