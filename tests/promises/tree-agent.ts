import { promptOf } from './node-lines.ts';
import { automaticPrefix } from './recorded-calls.ts';

/** A node of a configuration. */
type Node = Readonly<Record<string, unknown>>;

/** A node that a message can talk to, and whose calls wait for a human wherever it stands. */
function asking(name: string, more: Node = {}): Node {
  return { name, prompt: promptOf(name), approval: 'require', ...more };
}

/** Two branches beside each other, as a configuration has them. */
export const branchesAgent: Node = { type: 'parallel', name: 'branches', agents: [asking('first'), asking('right')] };

const free = `${automaticPrefix}branch`;

/** A tree with something of everything: a node, branches of which one is nested and one asks nobody, and a loop. */
export const treeAgent: Node = {
  type: 'sequential',
  name: 'pipe',
  agents: [
    asking('first'),
    {
      type: 'parallel',
      name: 'branches',
      agents: [
        asking('left', { output_key: 'left' }),
        { type: 'sequential', name: 'nested', agents: [asking('inner'), asking('right', { on_reject: 'continue' })] },
        { name: free, prompt: promptOf(free) },
      ],
    },
    {
      type: 'loop',
      name: 'round',
      max_iterations: 3,
      agents: [asking('worker', { output_key: 'work' }), asking('judge', { can_exit_loop: true })],
    },
  ],
};
