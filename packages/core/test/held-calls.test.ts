import { toolHeld } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { judgeCall } from '../src/calls/judge.ts';
import { llm } from './story.ts';

const { Disposition } = facts;

test('a call of a tool that was not offered as it is held says so', () => {
  const refusal = toolHeld('drop', 's', false);
  const judge = (argumentsJson: string) =>
    judgeCall(
      { providerCallId: 'p', name: 'drop', argumentsJson, refusal },
      {
        node: llm(),
        insideParallelOrLoop: false,
        agentName: 'assistant',
        agents: ['assistant'],
        commit: '',
        offered: new Map(),
      },
    ).call;
  expect(judge('{}')).toMatchObject({ disposition: Disposition.REFUSED, error: refusal });
  expect(judge('{').error).toBe('Tool not found: drop');
});
