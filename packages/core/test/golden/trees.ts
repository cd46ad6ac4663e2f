import type { AgentDefinition } from '@stopgo/core';
import { agentOf, llm } from '../story.ts';

/** Branches side by side, then a loop. */
export const tree: AgentDefinition = agentOf({
  type: 'sequential',
  name: 'report',
  children: [
    {
      type: 'parallel',
      name: 'research',
      onError: 'continue',
      children: [llm({ name: 'left', outputKey: 'left' }), llm({ name: 'right', approval: 'require' })],
    },
    { type: 'loop', name: 'refine', iterationsMax: 2, children: [llm({ name: 'writer', canExitLoop: true })] },
  ],
});

/** The same, where each node writes what the next ones read. */
export const pipeline: AgentDefinition = agentOf({
  type: 'sequential',
  name: 'report',
  outputKey: 'report',
  children: [
    {
      type: 'parallel',
      name: 'research',
      outputKey: 'findings',
      onError: 'continue',
      children: [
        llm({ name: 'left', outputKey: 'left' }),
        llm({ name: 'right', outputKey: 'right', approval: 'require', onReject: 'continue' }),
        llm({ name: 'lost', outputKey: 'lost' }),
      ],
    },
    {
      type: 'loop',
      name: 'refine',
      iterationsMax: 3,
      children: [
        llm({
          name: 'writer',
          prompt: 'Write of {left}, {lost} and {draft}.',
          outputKey: 'draft',
          canExitLoop: true,
        }),
      ],
    },
    llm({ name: 'filer', prompt: 'File {draft} and {findings}.' }),
  ],
});
