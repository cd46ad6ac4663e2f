import { canonicalArguments } from '@stopgo/core';
import { terminalJson } from '../inspect/terminal-json.ts';
import { block, oneLine, shownName } from '../shown.ts';
import { printAnswer, type RunAnswer } from './answer.ts';
import { listIn, objectIn, sendDecided } from './answered.ts';
import type { Confirm } from './confirm.ts';
import type { ShownEdit } from './edit-lines.ts';
import { editLines } from './edit-lines.ts';
import { askGateway } from './gateway.ts';

type ShownVote = {
  readonly decision: string;
  readonly by: string;
  readonly claimed: boolean;
  readonly result_sha256?: string;
};

/** An approval as the gateway shows it. */
export type ShownApproval = {
  readonly uuid: string;
  readonly conversation_id: string;
  readonly tool_name: string;
  readonly server?: string;
  /** The node of a tree that asks. */
  readonly node?: string;
  readonly description: string;
  /** The description leaves out a part of what it is about. */
  readonly description_cut?: boolean;
  readonly tool_args: unknown;
  readonly status: string;
  readonly choices: readonly string[];
  readonly created_at: string;
  /** Who decides, where a rule says so. */
  readonly votes_needed?: number;
  readonly votes?: readonly ShownVote[];
  readonly approvers?: readonly string[];
  readonly separation_of_duties?: boolean;
  readonly expires_at?: string;
  readonly on_expiry?: string;
  readonly edited?: ShownEdit;
  /** The approval that is asked for in its place, of the call with other arguments. */
  readonly replaced_by?: string;
  readonly assignee?: ShownAssignee;
};

/** Who is to look at an approval, and who said so. */
type ShownAssignee = {
  readonly name: string;
  readonly claimed: boolean;
  readonly assigned_by: { readonly name: string; readonly claimed: boolean };
};

/** `stopgo approvals`: what waits for a human, oldest first; `full`: with all arguments of what is too long for its description. */
export async function printApprovals(url: string, print: (line: string) => void, full = false): Promise<void> {
  let cursor = '';
  let count = 0;
  do {
    const query = new URLSearchParams({ status: 'pending', ...(cursor === '' ? {} : { cursor }) });
    const page = (await askGateway(url, `/approvals?${query}`)) as { next_cursor?: string };
    for (const approval of listIn<ShownApproval>(url, page, 'approvals')) {
      const { uuid, created_at, conversation_id } = approval;
      print(oneLine(`${uuid}  ${created_at}  ${calledBy(approval)}  conversation ${conversation_id}`));
      for (const line of block(approval.description)) print(line);
      if (approval.description_cut === true) {
        if (full) for (const line of allArguments(approval)) print(`    ${line}`);
        else print('    cut: `stopgo approvals --full` shows all arguments; it is approved with --full');
      }
      for (const line of [...editLines(approval), ...demandLines(approval, Date.now())]) print(oneLine(`    ${line}`));
      if (approval.assignee !== undefined) print(oneLine(`    ${assigneeText(approval.assignee)}`));
      print(oneLine(`    choices: ${approval.choices.join(', ')}`));
      count += 1;
    }
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  if (count === 0) return print('nothing waits for an approval');
  const { counts = {} } = (await askGateway(url, '/approvals/counts')) as { counts?: ShownCounts };
  print([`${count} waiting`, ...countWords(counts)].join(', '));
}

/** `assigned to ana by bob (claimed)`. */
export function assigneeText({ name, claimed, assigned_by: by }: ShownAssignee): string {
  const said = (text: string, isClaim: boolean) => `${shownName(text)}${isClaim ? ' (claimed)' : ''}`;
  const who = by.name === 'anonymous' ? '' : ` by ${said(by.name, by.claimed)}`;
  return oneLine(`assigned to ${said(name, claimed)}${who}`);
}

type ShownCounts = { readonly may_decide?: number; readonly overdue?: number; readonly assigned_to_me?: number };

/** What is to be said of what waits beside its number. */
function countWords({ may_decide: mine, overdue = 0, assigned_to_me: assigned = 0 }: ShownCounts): string[] {
  return [
    ...(mine === undefined ? [] : [`${mine} for you to decide`]),
    ...(assigned === 0 ? [] : [`${assigned} assigned to you`]),
    ...(overdue === 0 ? [] : [`${overdue} overdue`]),
  ];
}

/** Who decides, who has said what, and until when; none where anybody may, and for ever. `now`: milliseconds since 1970. */
export function demandLines(approval: ShownApproval, now: number): string[] {
  const { votes_needed: needed, votes = [], approvers = [], expires_at: until, on_expiry: then } = approval;
  if (needed === undefined) return [];
  const who = approvers.length === 0 ? 'whoever may decide approvals' : approvers.map(shownName).join(', ');
  const but = approval.separation_of_duties === true ? ', but not who asked for it' : '';
  const said = votes.map(
    ({ decision, by, claimed, result_sha256: result }) =>
      `${decision} by ${shownName(by)}${claimed ? ' (claimed)' : ''}${result === undefined ? '' : ` (result ${result.slice(0, 8)})`}`,
  );
  const results = new Set(votes.flatMap(({ result_sha256: result }) => result ?? []));
  const left = until !== undefined && Date.parse(until) <= now ? 'overdue since' : 'overdue from';
  return [
    `decided by ${needed} of: ${who}${but}`,
    ...(said.length === 0 ? [] : [`so far: ${said.join(', ')}`]),
    ...(results.size < 2 ? [] : [`they do not say the same result: only those with the same one count together`]),
    ...(until === undefined ? [] : [`${then === 'leave' ? left : 'rejected at'} ${until}`]),
  ];
}

/** The tool, its server, and the node of a tree that asks. */
export function calledBy({ tool_name, server = '', node = '' }: ShownApproval): string {
  const of = server === '' ? '' : ` of ${shownName(server)}`;
  return `${shownName(tool_name)}${of}${node === '' ? '' : ` for ${shownName(node)}`}`;
}

/** All arguments of the call, as they are sent. */
export function allArguments({ tool_name, tool_args }: ShownApproval): string[] {
  return [`all arguments of ${shownName(tool_name)}:`, ...block(terminalJson(tool_args, 2))];
}

/** What is decided, and by whom. */
export type DecisionFlags = {
  readonly action: string;
  readonly by?: string;
  readonly result?: string;
  /** Why it is a no: the model is told. */
  readonly reason?: string;
  /** JSON text: the arguments that it is approved with. */
  readonly arguments?: string;
  /** Shows the whole arguments before anything is decided. */
  readonly full?: boolean;
  /** A rejection of a call in doubt is meant as what it is. */
  readonly giveUp?: boolean;
};

/** Where a command writes, and asks. */
export type Terminal = {
  readonly print: (line: string) => void;
  /** Undefined where nobody can answer. */
  readonly confirm?: Confirm | undefined;
  /** A command line to copy: `stopgo` with these words, for the same platform. */
  readonly commandLine: (words: string) => string;
};

/**
 * `stopgo approve`, `stopgo reject` and `stopgo withdraw`: decides, waits for the run, and prints what it came to. What was not shown whole is not
 * approved without `full`; a call in doubt is not given up without `giveUp` or a yes on the terminal.
 */
export async function decide(url: string, uuid: string, flags: DecisionFlags, terminal: Terminal): Promise<void> {
  const path = `/approvals/${encodeURIComponent(uuid)}`;
  const approval = objectIn<ShownApproval>(url, await askGateway(url, path), 'approval');
  // Of what is settled the gateway says who decided.
  const action = approval.status === 'pending' ? await decisionOn(approval, flags, terminal) : flags.action;
  const { by, result, reason } = flags;
  const said = Object.entries({ by, result, reason }).filter(([, value]) => value !== undefined);
  const changed = flags.arguments === undefined ? {} : { arguments: argumentsIn(flags.arguments) };
  const body = { action, ...Object.fromEntries(said), ...changed };
  const answer: RunAnswer & Decided = await sendDecided(url, path, body, 'decision');
  const still = stillWaits(uuid, answer);
  if (still === undefined) printAnswer(answer, 'the decision is recorded', terminal.print);
  else terminal.print(oneLine(still));
}

/** What is answered to a decision: the conversation, to whom it belongs; else the approval alone. */
type Decided = {
  readonly approval?: ShownApproval;
  readonly conversation?: { readonly pending_approvals?: readonly ShownApproval[] };
};

/** Why the call waits all the same: others have to say yes too, or it is asked for anew with what was changed; undefined if it does not. */
function stillWaits(uuid: string, { approval, conversation }: Decided): string | undefined {
  const shown = [...(conversation?.pending_approvals ?? []), ...(approval === undefined ? [] : [approval])];
  const own = shown.find((one) => one.uuid === uuid);
  const anew = shown.find(({ edited }) => edited?.replaces === uuid)?.uuid ?? own?.replaced_by;
  if (anew !== undefined) return `the decision is recorded; the changed call waits for others, as approval ${anew}`;
  if (own?.status !== 'pending' || own.votes_needed === undefined) return undefined;
  return `the decision is recorded; ${own.votes?.length ?? 0} of the ${own.votes_needed} that it needs have said yes`;
}

/** Arguments as somebody typed them: nothing of them may be lost on the way. */
function argumentsIn(text: string): unknown {
  const read = canonicalArguments(text);
  if ('problem' in read) throw new Error(oneLine(`--arguments: ${read.problem}`));
  return JSON.parse(read.json);
}

/** What may be said of a call in doubt, and when. */
export const doubts: Readonly<Record<string, string>> = {
  happened: 'it happened; TEXT is what the model is told that it gave',
  run_again: 'it did not happen, or does no harm twice: it is made again',
  give_up: 'nobody can tell: it is not made again, and the model is told so',
};

function doubtLines(uuid: string, choices: readonly string[], commandLine: Terminal['commandLine']): string[] {
  return Object.entries(doubts)
    .filter(([choice]) => choices.includes(choice))
    .map(([choice, when]) => {
      const command = commandLine(`approve ${uuid} --action ${choice}${choice === 'happened' ? ' --result TEXT' : ''}`);
      return `  ${oneLine(command)}   ${when}`;
    });
}

async function decisionOn(
  approval: ShownApproval,
  { action, full = false, giveUp = false }: DecisionFlags,
  { print, confirm, commandLine }: Terminal,
): Promise<string> {
  const { uuid, choices, description_cut: isCut = false } = approval;
  const isInDoubt = choices.includes('give_up');
  const started = 'this call was started and may have happened';
  const approveWith = (those: readonly string[]) =>
    oneLine(`\`${commandLine(`approve ${uuid} --action ${those.join('|')}`)}\``);
  if (action === 'approve' && isInDoubt && !choices.includes('approve'))
    throw new Error(
      [`${started}; look whether it did, and say so:`, ...doubtLines(uuid, choices, commandLine)].join('\n'),
    );
  if (action === 'withdraw') return action;
  if (action === 'reject') {
    if (choices.includes('reject') || !isInDoubt) return action;
    const means = `${started}; giving it up means that it is not run again`;
    if (giveUp) return 'give_up';
    if (confirm === undefined) {
      const others = choices.filter((choice) => choice !== 'give_up');
      throw new Error(`${means}: say so with --give-up, or decide with ${approveWith(others)}`);
    }
    print(`${shownName(approval.tool_name)}: ${means}`);
    if (await confirm('Give it up?')) return 'give_up';
    throw new Error('nothing was decided');
  }
  if (full) for (const line of allArguments(approval)) print(line);
  else if (isCut)
    throw new Error(
      oneLine(
        `the description of ${uuid} is cut: \`${commandLine(`approve ${uuid} --full`)}\` shows all arguments and then approves`,
      ),
    );
  return action;
}
