import { create, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { Instances } from '../src/instances.ts';
import { always, beatOf, instanceBoardContract } from './instance-board.contract.ts';

for (const complete of [true, false])
  instanceBoardContract(
    `in the process, ${complete ? 'complete' : 'with others that outlive it'}`,
    always,
    async () => {
      const board = new Instances(complete, () => performance.now());
      return { one: board, other: board, close: async () => undefined };
    },
  );

test('what runs wait for at a process that is not heard of any more is told for its time to live', async () => {
  let now = 0;
  const board = new Instances(true, () => now);
  const waits = [create(views.RunWaitSchema, { conversationId: 'c', runId: 'r', name: 'peer' })];
  await board.beat({ ...beatOf('a', 1), waits, waitsMs: 5_000 });
  now = 5_000;
  expect(board.waits()).toHaveLength(1);
  now = 5_001;
  expect(board.waits()).toEqual([]);
});
