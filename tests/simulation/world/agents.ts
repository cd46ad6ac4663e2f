import type { A2aNode, AgentDefinition, AgentNode, LlmNode, PlatformAgent, RemoteAgent } from '@stopgo/core';
import type { Random } from './random.ts';

/**
 * How a model is: `plain` asks for whatever there is, `eager` asks at first for several calls that mostly need an approval,
 * `shaky` now and then gives no answer. An agent names it as its model.
 */
export const temperaments = ['plain', 'eager', 'shaky'] as const;
export type Temperament = (typeof temperaments)[number];

/** Levels below the root of a random tree. */
const depthMax = 3;
/** Branches of the agent whose branches all wait for people. */
const branchesMax = 3;
/** Keys of the session state: few, so that nodes write and read the same ones, also beside each other. */
const keys = ['a', 'b', 'c', 'd'] as const;

/** An agent as chance has it: one node, parallel branches that each ask for several approvals, or any tree. */
export function planAgent(random: Random, name: string): AgentDefinition {
  const kind = random.next();
  if (kind < 0.3) return { name, root: planLlm(random, name, false) };
  if (kind < 0.55) return { name, root: planBranches(random, name) };
  return { name, root: planTree(random, name) };
}

/** Branches that ask for approvals beside each other, often with a node before and after them, or again and again. */
function planBranches(random: Random, name: string): AgentNode {
  const branch = (index: number): AgentNode => ({
    ...planLlm(random, `${name}.${index}`, false),
    model: 'eager' satisfies Temperament,
    approval: 'require',
    turnsMax: random.whole(2, 3),
  });
  const parallel: AgentNode = {
    type: 'parallel',
    name,
    children: Array.from({ length: random.whole(2, branchesMax) }, (_, index) => branch(index)),
    onError: random.pick(['fail', 'continue'] as const),
    ...planKey(random),
  };
  const frame = random.pick(['none', 'sequential', 'loop'] as const);
  if (frame === 'none') return parallel;
  const after = planLlm(random, `${name}.after`, frame === 'loop');
  if (frame === 'loop') return { type: 'loop', name: `${name}.loop`, children: [parallel, after], iterationsMax: 2 };
  return { type: 'sequential', name: `${name}.pipe`, children: [parallel, after] };
}

function planTree(random: Random, name: string): AgentNode {
  const root = planNode(random, name, 0, false);
  return root.type === 'llm' ? { type: 'sequential', name: `${name}.only`, children: [root] } : root;
}

function planNode(random: Random, name: string, depth: number, isInLoop: boolean): AgentNode {
  const kind = depth >= depthMax ? 'llm' : random.pick(['llm', 'llm', 'sequential', 'parallel', 'loop'] as const);
  if (kind === 'llm' && depth > 0) return planLlm(random, name, isInLoop);
  const inLoop = isInLoop || kind === 'loop';
  // The deeper, the narrower: a run is to end within the time that the world has.
  const children = Array.from({ length: random.whole(1, depth === 0 ? 3 : 2) }, (_, index) =>
    planNode(random, `${name}.${index}`, depth + 1, inLoop),
  );
  const common = { name, children, ...planKey(random) };
  if (kind === 'parallel') return { type: 'parallel', ...common, onError: random.pick(['fail', 'continue'] as const) };
  if (kind === 'loop')
    return { type: 'loop', ...common, children: children.slice(0, 2), iterationsMax: random.whole(1, 2) };
  return { type: 'sequential', ...common };
}

function planLlm(random: Random, name: string, isInLoop: boolean): LlmNode {
  const named = keys.filter(() => random.chance(0.3)).map((key) => ` {${key}}`);
  return {
    type: 'llm',
    name,
    model: random.pick(['plain', 'plain', 'eager', 'shaky'] as const) satisfies Temperament,
    prompt: `You are ${name}.${named.join('')}`,
    outputKey: '',
    ...planKey(random),
    canExitLoop: isInLoop && random.chance(0.5),
    turnsMax: random.whole(1, 4),
    approval: random.pick(['default', 'require'] as const),
    onReject: random.pick(['cancel', 'cancel', 'continue'] as const),
  };
}

function planKey(random: Random): { readonly outputKey?: string } {
  return random.chance(0.4) ? { outputKey: random.pick(keys) } : {};
}

/** An agent that delegates: from a node, from several beside or after each other, or as its model likes. */
export function planDelegatingAgent(random: Random, name: string): AgentDefinition {
  const node = (index: number): AgentNode =>
    random.chance(0.25) ? planDelegator(random, `${name}.${index}`) : planA2a(random, `${name}.${index}`);
  const kind = random.next();
  if (kind < 0.25) return { name, root: planA2a(random, name) };
  if (kind < 0.4) return { name, root: planDelegator(random, name) };
  const children = Array.from({ length: random.whole(2, 3) }, (_, index) => node(index));
  if (kind < 0.65) return { name, root: { type: 'sequential', name, children } };
  if (kind < 0.85)
    return { name, root: { type: 'parallel', name, children, onError: random.pick(['fail', 'continue'] as const) } };
  return { name, root: { type: 'loop', name, children: children.slice(0, 2), iterationsMax: 2 } };
}

function planA2a(random: Random, name: string): A2aNode {
  return {
    type: 'a2a',
    name,
    agent: planRemote(random, 'other'),
    prompt: 'do it',
    ...planKey(random),
    approval: 'default',
    onReject: random.pick(['cancel', 'continue'] as const),
  };
}

function planDelegator(random: Random, name: string): LlmNode {
  return {
    ...planLlm(random, name, false),
    turnsMax: 2,
    agents: [planRemote(random, 'one'), planRemote(random, 'two')],
  };
}

/** What it promises and shows stands in its address. */
function planRemote(random: Random, name: string): RemoteAgent {
  const words = ['ids', 'once', 'lists'].filter(() => random.chance(0.6));
  return {
    name,
    url: `http://agent/${words.join('-')}`,
    description: '',
    destructive: random.chance(0.15),
    forwardsBearer: random.chance(0.3),
  };
}

/** Names of the agents that call each other; the first is that of the conversations. */
export const callingNames = ['one', 'two', 'three', 'four'] as const;

/** What it may use; without, as much as it takes. A model's answer takes two tokens. */
function planLimits(random: Random): Pick<PlatformAgent, 'limits'> {
  if (!random.chance(0.25)) return {};
  const onLimit = random.pick(['ask', 'end'] as const);
  return { limits: { onLimit, ...random.pick([{ tokensMax: random.whole(3, 9) }, { agentCallsMax: 1 }]) } };
}

/** How long it may take; without, as long as it takes. The agent of a conversation has more time than those that it calls. */
function planTime(random: Random, name: string): { readonly executionMinutesMax?: number } {
  const isOwn = name === callingNames[0];
  if (!random.chance(isOwn ? 0.15 : 0.4)) return {};
  const ms = isOwn ? random.between(3_000, 30_000) : random.between(500, 8_000);
  return { executionMinutesMax: ms / 60_000 };
}

/** Agents that call each other, and sometimes themselves: one node each, or a few in a row or side by side. */
export function planCallingAgents(random: Random): readonly AgentDefinition[] {
  return callingNames.map((name) => {
    const node = (of: string): LlmNode => ({
      ...planLlm(random, of, false),
      tools: ['*', 'run_data_*'],
      // What is asked for last is done: a tree of agents is to end within the time that the world has.
      turnsMax: random.whole(2, 4),
      onReject: name === 'one' ? random.pick(['cancel', 'continue'] as const) : 'continue',
    });
    const kind = random.next();
    const children = [node(`${name}.0`), node(`${name}.1`)];
    const root: AgentNode =
      kind < 0.7
        ? node(name)
        : kind < 0.85
          ? { type: 'sequential', name, children }
          : { type: 'parallel', name, children, onError: random.pick(['fail', 'continue'] as const) };
    return {
      name,
      root,
      platform: {
        ...{ title: name, description: '', tags: [], examples: [], providers: [] },
        allowedAgents: random.pick([['*'], ['two', 'three'], ['three', 'four', 'nobody']]),
        contextScope: random.pick(['FULL', 'NONE', 'SPECIFIC'] as const),
        completionRequired: random.chance(0.7),
        ...planTime(random, name),
        ...planLimits(random),
      },
    };
  });
}
