import type { IconName } from '../ui/icon.tsx';
import type { NodeKind, NodeState, RunNode, RunOutline, RunState } from './run-node.ts';
import { costWords, numberWords } from './spent.ts';

// What is said of a run and its parts, the same in the graph, in the table and in the details.

/** How something looks: what needs somebody stands out. */
export type Tone = 'calm' | 'work' | 'wait' | 'go' | 'bad';
export type Said = { readonly word: string; readonly icon: IconName; readonly tone: Tone };

const states: Readonly<Record<NodeState, Said>> = {
  ready: { word: 'About to begin', icon: 'clock', tone: 'work' },
  running: { word: 'Running', icon: 'play', tone: 'work' },
  waiting: { word: 'Waits for people', icon: 'person', tone: 'wait' },
  dependency: { word: 'Waits for an agent', icon: 'agent', tone: 'work' },
  paused: { word: 'Paused', icon: 'pause', tone: 'wait' },
  doubt: { word: 'In doubt', icon: 'help', tone: 'wait' },
  done: { word: 'Done', icon: 'check', tone: 'go' },
  failed: { word: 'Failed', icon: 'warn', tone: 'bad' },
  rejected: { word: 'Rejected', icon: 'cross', tone: 'bad' },
  expired: { word: 'Not decided in time', icon: 'clock', tone: 'bad' },
  refused: { word: 'Not sent', icon: 'cross', tone: 'bad' },
  unknown: { word: 'Given up, outcome unknown', icon: 'help', tone: 'bad' },
  canceled: { word: 'Canceled', icon: 'stop', tone: 'calm' },
};

export const stateSaid = (state: NodeState): Said => states[state];

const runStates: Readonly<Record<RunState, Said>> = {
  working: { word: 'Working', icon: 'play', tone: 'work' },
  waiting: { word: 'Waits for people', icon: 'person', tone: 'wait' },
  paused: { word: 'Paused', icon: 'pause', tone: 'wait' },
  completed: { word: 'Completed', icon: 'check', tone: 'go' },
  failed: { word: 'Failed', icon: 'warn', tone: 'bad' },
  canceled: { word: 'Canceled', icon: 'stop', tone: 'calm' },
};

export const runSaid = (state: RunState): Said => runStates[state];

const kinds: Readonly<Record<NodeKind, { readonly word: string; readonly icon: IconName }>> = {
  agent: { word: 'Agent', icon: 'agent' },
  step: { word: 'Step', icon: 'graph' },
  tool: { word: 'Tool', icon: 'tool' },
  remote: { word: 'Agent elsewhere', icon: 'send' },
};

export const kindIcon = (kind: NodeKind): IconName => kinds[kind].icon;

const types: Readonly<Record<string, string>> = {
  llm: 'asks a model',
  sequential: 'one after the other',
  parallel: 'all at once',
  loop: 'again and again',
  a2a: 'asks an agent elsewhere',
};

/** What kind of thing it is, in words. */
export function kindWords({ kind, type, server, round }: RunNode): string {
  const what = kind === 'tool' && server !== '' ? `Tool on ${server}` : kinds[kind].word;
  const how = types[type] ?? type;
  const parts = [
    what,
    ...(how === '' || kind === 'agent' ? [] : [how]),
    ...(round === undefined ? [] : [`round ${round}`]),
  ];
  return parts.join(' · ');
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long something took, in the two largest units that it has. */
export function tookWords(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < minuteMs) return `${(ms / secondMs).toFixed(1)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ${Math.floor((ms % minuteMs) / secondMs)} s`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
}

const hasSpent = ({ spent }: RunNode): boolean => spent.inputTokens + spent.outputTokens > 0;

/** What it used with all below it, in a few words; empty if it used nothing. */
export function spentWords(node: RunNode): string {
  if (!hasSpent(node)) return '';
  const { inputTokens, outputTokens, costNanoUsd } = node.spent;
  const cost = costNanoUsd === undefined ? [] : [costWords(node.spent)];
  return [`${numberWords(inputTokens)} in`, `${numberWords(outputTokens)} out`, ...cost].join(' · ');
}

/** What a box has no room for: what it is, its name where that is cut, and what it waits for. */
export function moreWords(node: RunNode, isCut: boolean): string {
  return [...(isCut ? [node.name] : []), kindWords(node), ...node.waits.map(waitWords)].join(', ');
}

export function waitWords({ kind }: RunNode['waits'][number]): string {
  switch (kind) {
    case 'approval':
      return 'waits for an approval';
    case 'doubt':
      return 'waits for somebody who knows what became of it';
    case 'answer':
      return 'waits for an answer';
    case 'token':
      return 'waits for a sign-in';
  }
}

/** A run in a line, for a list to choose from. */
export function runLine({ number, message, state }: RunOutline): string {
  const words = message.replace(/\s+/g, ' ').trim();
  const short = words.length > 60 ? `${words.slice(0, 59).replace(/[\ud800-\udbff]$/, '')}…` : words;
  return `Run ${number}: ${short === '' ? 'no message' : `“${short}”`} – ${runSaid(state).word.toLowerCase()}`;
}

const outcomes: Readonly<Record<string, string>> = {
  pending: 'waits for a decision',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'nobody decided in time',
  withdrawn: 'withdrawn',
  run_again: 'run again',
  happened: 'it happened',
  give_up: 'given up',
};

/** What became of an approval, and who decided. */
export function approvalWords({ outcome, by }: RunNode['approvals'][number]): string {
  const what = outcomes[outcome] ?? outcome;
  return outcome === 'pending' || outcome === 'expired' || by === '' ? what : `${what}, by ${by}`;
}
