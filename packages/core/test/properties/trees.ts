import { type AgentDefinition, type AgentNode, childrenOf } from '@stopgo/core';
import fc from 'fast-check';
import { a2a, agentOf, bank, llm, peer } from '../story.ts';

/** Deepest tree that is drawn: a root and three levels below it. */
const depthMax = 4;

/**
 * Random agent trees. Every node writes a key of its own, so that parallel branches never write the same one, and every
 * prompt names the keys of all nodes that never run beside it.
 */
export const agents: fc.Arbitrary<AgentDefinition> = fc.noBias(node(depthMax)).map((drawn) => {
  const root = named(drawn, 'n');
  return agentOf(prompted(root, [], root));
});

/** A run's script: what happens next is drawn from it, and once it is used up everything goes the shortest way. */
export const tapes: fc.Arbitrary<readonly number[]> = fc.noBias(
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 80, size: 'max' }),
);

function node(depth: number): fc.Arbitrary<AgentNode> {
  const leaf = fc.record({
    turnsMax: fc.integer({ min: 1, max: 3 }),
    canExitLoop: fc.boolean(),
    asks: fc.boolean(),
    onReject: fc.constantFrom('cancel' as const, 'continue' as const),
  });
  const models = leaf.map(({ asks, ...more }) =>
    llm({ ...more, approval: asks ? 'require' : 'default', agents: [peer, bank] }),
  );
  const delegates = leaf.map(({ asks, canExitLoop, onReject }) =>
    a2a({ agent: canExitLoop ? bank : peer, approval: asks ? 'require' : 'default', onReject }),
  );
  const leaves = fc.oneof({ weight: 3, arbitrary: models }, { weight: 1, arbitrary: delegates });
  if (depth === 1) return leaves;
  const children = fc.array(node(depth - 1), { minLength: depth === 2 ? 0 : 1, maxLength: 2, size: 'max' });
  return fc.oneof(
    { weight: depth === depthMax ? 1 : 2, arbitrary: leaves },
    { weight: 1, arbitrary: children.map((all): AgentNode => ({ type: 'sequential', name: '', children: all })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(children, fc.constantFrom('fail' as const, 'continue' as const))
        .map(([all, onError]): AgentNode => ({ type: 'parallel', name: '', children: all, onError })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(children, fc.integer({ min: 0, max: 2 }))
        .map(([all, iterationsMax]): AgentNode => ({ type: 'loop', name: '', children: all, iterationsMax })),
    },
  );
}

function named(one: AgentNode, name: string): AgentNode {
  if (!('children' in one)) return { ...one, name, outputKey: name };
  const children = one.children.map((child, index) => named(child, `${name}_${index}`));
  return { ...one, name, outputKey: name, children };
}

/** The tree with prompts; `path` leads to this node. */
function prompted(one: AgentNode, path: readonly number[], root: AgentNode): AgentNode {
  if ('children' in one)
    return { ...one, children: one.children.map((child, index) => prompted(child, [...path, index], root)) };
  const keys = keysBeside(root, path);
  return { ...one, prompt: `${keys.map((key) => `{${key}}`).join(' ')} {nobody} {constructor}` };
}

/** The keys of all nodes but those of other branches of a parallel node above the one that a path leads to. */
function keysBeside(one: AgentNode, path: readonly number[] | undefined): string[] {
  const own = [one.outputKey ?? ''];
  const [next, ...rest] = path ?? [];
  const inside = childrenOf(one).map((child, index) => ({ child, path: index === next ? rest : undefined }));
  const isFork = one.type === 'parallel' && next !== undefined;
  return [
    ...own,
    ...inside.filter((each) => !isFork || each.path).flatMap((each) => keysBeside(each.child, each.path)),
  ];
}

/** How many moves the nodes take at most that draw nothing, were every loop to run to its end. */
export function executionsOf(one: AgentNode): number {
  if (one.type === 'llm') return 1;
  // Its message, its approval, its start and its answer.
  if (one.type === 'a2a') return 4;
  const inside = one.children.reduce((sum, child) => sum + executionsOf(child), 0);
  return one.type === 'loop' ? inside * one.iterationsMax : inside;
}
