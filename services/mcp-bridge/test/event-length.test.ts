import { expect, test } from 'vitest';
import { EventLength } from '../src/lines/event-length.ts';

const lengths = (...chunks: readonly string[]) => {
  const event = new EventLength();
  return chunks.map((chunk) => event.after(Buffer.from(chunk)));
};

test.each(['\n', '\r\n', '\r'])('an event lasts until an empty line, however its lines end (%j)', (end) => {
  const line = `data: a${end}`;
  const [one = 0, two = 0, next = 0] = lengths(line, line, `${end}data: c${end}`).map((length) => length / line.length);
  expect([one, two]).toEqual([1, 2]);
  // The empty line, or a half of it, still counts.
  expect(next).toBeGreaterThan(2);
  expect(next).toBeLessThan(3);
  expect(lengths(line, end, line)[2]).toBeLessThan(2 * line.length);
});

test('the longest event counts, also one that ended in the same piece', () => {
  expect(lengths('data: a long one\n\ndata: b')).toEqual([18]);
});
