import { type Approval, ExactNumber, exactText } from '@stopgo/client';
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

/** What will happen, in words. What it is, the platform says by its kind: a name says nothing of that, whatever it looks like. */
export function headlineOf(approval: Approval): string {
  const { kind, description, tool_name: tool, remote_agent_name: agent } = approval;
  // Before it may stand a warning.
  const bold = description
    .split('\n')
    .map((line) => /^\*\*(.+)\*\*$/.exec(line.trim())?.[1])
    .find((one) => one !== undefined);
  const whom = agent ?? (bold?.split(': ').slice(1).join(': ') || tool);
  switch (kind) {
    case 'in_doubt':
      return `Did ${tool} run? Nobody knows`;
    case 'delegation':
      return `Hand a task to the agent ${whom}`;
    case 'proxy':
      return `Another agent asks: ${whom}`;
    default:
      return `Call ${tool}`;
  }
}

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
  const lines = description.split('\n');
  if (kind === 'proxy') return lines.slice(1).join('\n').trim();
  return lines.filter((line) => line.startsWith('⚠')).join('\n');
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
