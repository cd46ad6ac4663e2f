import { count } from '../ui/text.tsx';
import type { AgentNode, Definition } from './types.ts';

// What an agent may do, in words that need no manual. All of it is in the recorded definition.

/** The nodes of a tree that ask models. */
export function modelNodes(node: AgentNode): readonly AgentNode[] {
  return node.children === undefined ? (node.type === 'llm' ? [node] : []) : node.children.flatMap(modelNodes);
}

/** Names of the tool servers that an agent needs; undefined: it takes what all of them offer. */
export function serversOf({ root }: Definition): readonly string[] | undefined {
  const nodes = modelNodes(root);
  if (nodes.some(({ toolServers }) => toolServers === undefined)) return undefined;
  return [...new Set(nodes.flatMap(({ toolServers = [] }) => toolServers))];
}

const listed = (names: readonly string[]): string => names.join(', ');

/** Which tools a node is offered. */
export function toolsOf({ toolServers, tools }: AgentNode): string {
  if (toolServers?.length === 0 || tools?.length === 0) return tools?.length ? `Only ${listed(tools)}` : 'No tools';
  const from = toolServers === undefined ? 'all tool servers' : listed(toolServers);
  return tools === undefined ? `All tools of ${from}` : `Of ${from}: ${listed(tools)}`;
}

/** Which tools an agent is offered, in short. */
export function toolsInShort({ root }: Definition): string {
  const all = [...new Set(modelNodes(root).map(toolsOf))];
  return all.length === 1 ? (all[0] ?? '') : `Tools: each of ${count(modelNodes(root).length, 'step')} its own`;
}

/** When an agent stops and asks. */
export function asksOf({ root }: Definition): 'always' | 'partly' | 'rules' {
  const asking = modelNodes(root).filter(({ approval }) => approval === 'require').length;
  return asking === 0 ? 'rules' : asking === modelNodes(root).length ? 'always' : 'partly';
}

export const askWords = {
  always: 'Asks before each call that could do harm',
  partly: 'Some of its steps ask before each call that could do harm',
  rules: 'Asks where the rules of the platform say so',
} as const;

const inDollars = (millionths: number): string => `$${(millionths / 1_000_000).toFixed(2)}`;

/** What an agent may use at most, each in a few words. */
export function limitsOf({ root, platform }: Definition): readonly string[] {
  const { executionMinutesMax: minutes, limits } = platform ?? {};
  const turns = Math.max(0, ...modelNodes(root).map(({ turnsMax = 0 }) => turnsMax));
  return [
    ...(minutes === undefined ? [] : [lengthOf(minutes)]),
    ...(limits?.costMax === undefined ? [] : [inDollars(limits.costMax)]),
    ...(limits?.tokensMax === undefined ? [] : [count(limits.tokensMax, 'token')]),
    ...(limits?.agentCallsMax === undefined ? [] : [count(limits.agentCallsMax, 'call', ' of other agents')]),
    ...(turns === 0 ? [] : [count(turns, 'answer', ' of its model')]),
  ];
}

/** What becomes of an agent that has used what it may. Undefined where it has no such limit. */
export function atLimitOf({ platform }: Definition): string | undefined {
  if (platform?.limits === undefined) return undefined;
  return platform.limits.onLimit === 'end' ? 'then it ends' : 'then it stops until a person says that it goes on';
}

function lengthOf(minutes: number): string {
  if (minutes % 1_440 === 0) return count(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
}

/** What an agent is told of what came before, when another agent calls it. */
export function toldOf({ platform }: Definition): string {
  if (platform?.contextScope === 'NONE') return 'Its task alone';
  if (platform?.contextScope !== 'SPECIFIC') return 'All that the agents above it were told';
  const { state = [], memories = [] } = platform.context ?? {};
  const named = [
    ...(state.length === 0 ? [] : [`the shared data ${listed(state)}`]),
    ...(memories.length === 0 ? [] : [`the memories ${listed(memories)}`]),
  ];
  return named.length === 0 ? 'Its task' : `Its task, and ${named.join(' and ')}`;
}

const ways: Readonly<Record<string, (node: AgentNode) => string>> = {
  llm: () => 'Asks its model',
  sequential: () => 'One after the other',
  parallel: ({ onError }) => `Side by side${onError === 'continue' ? '; goes on if one fails' : ''}`,
  loop: ({ iterationsMax = 1 }) => `Again and again, at most ${count(iterationsMax, 'time')}`,
};

/** How a node of a tree works. */
export const wayOf = (node: AgentNode): string => ways[node.type]?.(node) ?? node.type;
