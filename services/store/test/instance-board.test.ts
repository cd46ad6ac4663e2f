import { Instances } from '../src/instances.ts';
import { always, instanceBoardContract } from './instance-board.contract.ts';

for (const complete of [true, false])
  instanceBoardContract(
    `in the process, ${complete ? 'complete' : 'with others that outlive it'}`,
    always,
    async () => {
      const board = new Instances(complete);
      return { one: board, other: board, close: async () => undefined };
    },
  );
