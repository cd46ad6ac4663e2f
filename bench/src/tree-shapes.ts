/** An agent that is a tree, and what one turn of it takes. */
export type TreeShape = {
  readonly name: string;
  /** As a configuration has it. */
  readonly agent: object;
  /** Approvals that wait together before it goes on. */
  readonly approvals: number;
  readonly response: string;
};

/** Nodes of the pipeline. */
const pipelineNodes = 3;
/** Branches of the wide tree. */
const branches = 8;

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const said = 'Noted.';
const erased = 'The note is erased.';

/** Nodes that each say a word, and know what the one before said. */
const pipeline: TreeShape = {
  name: `pipeline of ${pipelineNodes} nodes`,
  agent: {
    type: 'sequential',
    agents: many(pipelineNodes, (index) => ({
      name: `step${index}`,
      prompt: `You go on from {word${index - 1}}.`,
      output_key: `word${index}`,
    })),
  },
  approvals: 0,
  response: said,
};

const parallel = (name: string, agents: readonly object[], approvals: number, word: string): TreeShape => ({
  name: `${branches} branches, ${name}`,
  agent: { type: 'parallel', agents },
  approvals,
  response: many(branches, () => word).join('\n'),
});

/** What is measured of trees. */
export const treeShapes: readonly TreeShape[] = [
  pipeline,
  parallel(
    'no calls',
    many(branches, (index) => ({ name: `branch${index}`, prompt: 'You say a word.' })),
    0,
    said,
  ),
  parallel(
    'a call each, at once',
    many(branches, (index) => ({ name: `branch${index}`, prompt: `You erase part-${index} of what is asked.` })),
    0,
    erased,
  ),
  parallel(
    'a call each, approved',
    many(branches, (index) => ({
      name: `branch${index}`,
      prompt: `You erase part-${index} of what is asked.`,
      approval: 'require',
    })),
    branches,
    erased,
  ),
];
