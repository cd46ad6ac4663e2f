import type { Request } from 'express';
import { expect, test } from 'vitest';
import { bodyValuesMax } from '../src/bounds.ts';
import { jsonBody } from '../src/index.ts';

const bodyOf = (text: string) => jsonBody({ body: Buffer.from(text) } as Request);

/** A list is a value, too. */
const listOf = (items: number): string => `[${Array(items).fill('1').join(',')}]`;

test('a body of as many values as may be is read, and one of more is refused before it is parsed', () => {
  expect(bodyOf(listOf(bodyValuesMax - 1))).toHaveLength(bodyValuesMax - 1);
  const refused = expect.objectContaining({
    kind: 'invalid_argument',
    message: `invalid request body: it has more than ${bodyValuesMax} values; send fewer`,
  });
  expect(() => bodyOf(listOf(bodyValuesMax))).toThrow(refused);
  // No JSON at all: it was not parsed.
  expect(() => bodyOf('['.repeat(bodyValuesMax))).toThrow(refused);
  expect(bodyOf(JSON.stringify(','.repeat(bodyValuesMax)))).toHaveLength(bodyValuesMax);
});
