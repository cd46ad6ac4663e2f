import { ExactNumber, exactText } from '../api/exact-json.ts';
import type { Approval } from '../api/types.ts';
import { clockTime } from '../ui/time.tsx';

/** What a decision is called on its button, what it does, and how the button looks. */
export type Choice = {
  readonly action: string;
  readonly label: string;
  readonly means: string;
  readonly tone: 'go' | 'stop' | 'plain';
  /** What is asked for before it is done. */
  readonly wants?: 'reason' | 'result';
};

const choices: Readonly<Record<string, Choice>> = {
  approve: { action: 'approve', label: 'Approve', means: 'The call is made, exactly as it stands here.', tone: 'go' },
  reject: {
    action: 'reject',
    label: 'Reject',
    means: 'The call is not made. The agent is told, and goes on.',
    tone: 'stop',
    wants: 'reason',
  },
  run_again: {
    action: 'run_again',
    label: 'Run it again',
    means: 'The call is made once more. If it did run before, it runs twice.',
    tone: 'plain',
  },
  happened: {
    action: 'happened',
    label: 'It happened',
    means: 'The call is not made again. The agent is told what you say came of it.',
    tone: 'go',
    wants: 'result',
  },
  give_up: {
    action: 'give_up',
    label: 'Give it up',
    means: 'The call is not made again. The agent is told that nobody knows.',
    tone: 'stop',
    wants: 'reason',
  },
};

export const choicesOf = ({ choices: offered }: Approval): readonly Choice[] =>
  offered.map((one) => choices[one] ?? { action: one, label: one, means: '', tone: 'plain' as const });

/** The first line of the platform's own description, without its emphasis: what will happen, in words. */
export function headlineOf(approval: Approval): string {
  const { kind, description, tool_name: tool, remote_agent_name: agent } = approval;
  const [first = ''] = description.split('\n', 1);
  const bold = /^\*\*(.+)\*\*$/.exec(first.trim())?.[1];
  if (kind === 'in_doubt' || kind === 'doubt') return `Did ${tool} run? Nobody knows`;
  if (bold === undefined) return first === '' ? `Call ${tool}` : first;
  if (bold.startsWith('DELEGATE')) return `Hand a task to the agent ${agent ?? bold.split(': ').slice(1).join(': ')}`;
  if (bold.startsWith('PROXY')) return `Another agent asks: ${agent ?? bold.split(': ').slice(1).join(': ')}`;
  return bold === tool.toUpperCase() ? `Call ${tool}` : sentenceCase(bold);
}

/** `ADD Resource` as `Add resource`: capitals are for alarms. */
const sentenceCase = (words: string): string => {
  const lower = words.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
};

const summaryCharacters = 90;

/** The arguments in a few words, for a list; the card has all of them. */
export function summaryOf({ tool_args: args }: Approval): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args) || args instanceof ExactNumber) return '';
  const text = Object.entries(args)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : exactText(value).replace(/\s+/g, ' ')}`)
    .join(', ');
  return text.length <= summaryCharacters
    ? text
    : `${text.slice(0, summaryCharacters).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What else the description says that the arguments do not: warnings, the words of another agent. */
export function restOf({ description, kind }: Approval): string {
  const [, ...lines] = description.split('\n');
  const rest = lines.join('\n').trim();
  if (kind === 'proxy' || kind === 'remote_task') return rest;
  const warnings = lines.filter((line) => line.startsWith('⚠'));
  return warnings.join('\n');
}

/** What became of an approval, in a sentence; undefined while it waits. */
export function outcomeOf(approval: Approval): string | undefined {
  const { status, decision, decided_at: at, by_policy: byPolicy, decision_reason: why } = approval;
  if (status === 'pending') return undefined;
  const when = at === undefined ? '' : ` at ${clockTime(at)}`;
  const who = byPolicy ? 'a rule' : whoOf(approval);
  switch (decision ?? status) {
    case 'approved':
      return `Approved by ${who}${when}`;
    case 'rejected':
      return `Rejected by ${who}${when}`;
    case 'run_again':
      return `Run again, as ${who} decided${when}`;
    case 'happened':
      return `Settled by ${who}${when}: it happened`;
    case 'give_up':
      return `Given up by ${who}${when}`;
    case 'expired':
      return `Expired${when}: nobody decided in time`;
    case 'withdrawn':
      return `Withdrawn${when}${why === undefined ? '' : `: ${why}`}`;
    default:
      return `Settled (${status})${when}`;
  }
}

function whoOf({ decided_by_identity: by }: Approval): string {
  if (by === undefined || by.name === '' || by.name === 'anonymous') return 'somebody';
  return by.claimed ? `“${by.name}” (unverified name)` : by.name;
}
