import { appendBytesMax, encodeFact, fact, type RunCommand, structuredBytesMax } from '@stopgo/core';
import { expect, test } from 'vitest';
import { CommandQueue, commandOf } from '../../src/driver/handle/queue.ts';

type Finished = Extract<RunCommand, { type: 'callFinished' }>;

/** A short result with much beside its text. */
function finished(index: number): Finished {
  const structuredJson = JSON.stringify({ rows: 'x'.repeat(structuredBytesMax - 100) });
  const call = { callId: `root#1.${index}`, attempt: 1, tool: 'query' };
  return { type: 'callFinished', ...call, content: 'See the rows.', isError: false, durationMs: 1, structuredJson };
}

const bytesOf = ({ callId, tool, content, structuredJson = '' }: Finished): number =>
  encodeFact(fact('toolCallFinished', { callId, tool, content, structuredJson })).length;

test('results that came in while the log was away are put on the record in appends that it takes, in their order', () => {
  const queue = new CommandQueue();
  const results = Array.from({ length: 20 }, (_, index) => finished(index));
  for (const one of results) void queue.add(one);
  const appends: Finished[][] = [];
  while (!queue.isEmpty) appends.push(queue.next().map(commandOf) as Finished[]);
  expect(appends.flat()).toEqual(results);
  for (const one of appends) expect(one.reduce((sum, result) => sum + bytesOf(result), 0)).toBeLessThan(appendBytesMax);
});
