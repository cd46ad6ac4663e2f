import { expect, test } from 'vitest';
import { JunkLines } from '../src/lines/junk-lines.ts';

test('lines that are no messages are told in a sentence, with the first of them', () => {
  const lines = new JunkLines((line) => line.toUpperCase());
  expect(lines.problem).toBeUndefined();
  lines.add('one');
  expect(lines.problem).toBe(
    'it wrote a line to its standard output that belongs on its error output, as it is no message of the protocol: ONE',
  );
  lines.add('two');
  expect(lines.problem).toBe(
    'it wrote 2 lines to its standard output that belong on its error output, as they are no messages of the protocol; the first: ONE',
  );
});
