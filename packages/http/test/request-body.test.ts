import type { Request } from 'express';
import { expect, test } from 'vitest';
import { BODY_VALUES_MAX } from '../src/bounds.ts';
import { jsonBody } from '../src/index.ts';

const bodyOf = (text: string) => jsonBody({ body: Buffer.from(text) } as Request);

/** A list is a value, too. */
const listOf = (items: number): string => `[${Array(items).fill('1').join(',')}]`;

test('a body of as many values as may be is read, and one of more is refused before it is parsed', () => {
  expect(bodyOf(listOf(BODY_VALUES_MAX - 1))).toHaveLength(BODY_VALUES_MAX - 1);
  const refused = expect.objectContaining({
    kind: 'invalid_argument',
    message: `invalid request body: it has more than ${BODY_VALUES_MAX} values; send fewer`,
  });
  expect(() => bodyOf(listOf(BODY_VALUES_MAX))).toThrow(refused);
  // No JSON at all: it was not parsed.
  expect(() => bodyOf('['.repeat(BODY_VALUES_MAX))).toThrow(refused);
  expect(bodyOf(JSON.stringify(','.repeat(BODY_VALUES_MAX)))).toHaveLength(BODY_VALUES_MAX);
});
