import { terminalJson } from '../inspect/terminal-json.ts';
import { block, oneLine, shownName } from '../shown.ts';
import { printAnswer, type RunAnswer } from './answer.ts';
import type { Confirm } from './confirm.ts';
import { askGateway } from './gateway.ts';

type ShownApproval = {
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
};

/** `stopgo approvals`: what waits for a human, oldest first. */
export async function printApprovals(url: string, print: (line: string) => void): Promise<void> {
  let cursor = '';
  let count = 0;
  do {
    const query = new URLSearchParams({ status: 'pending', ...(cursor === '' ? {} : { cursor }) });
    const page = (await askGateway(url, `/approvals?${query}`)) as { approvals: ShownApproval[]; next_cursor?: string };
    for (const approval of page.approvals) {
      const { uuid, created_at, tool_name, server = '', node = '', conversation_id } = approval;
      const of = server === '' ? '' : ` of ${shownName(server)}`;
      const tool = `${shownName(tool_name)}${of}${node === '' ? '' : ` for ${shownName(node)}`}`;
      print(oneLine(`${uuid}  ${created_at}  ${tool}  conversation ${conversation_id}`));
      for (const line of block(approval.description)) print(line);
      if (approval.description_cut === true) print(`    cut: approve it with --full, which shows all arguments`);
      print(oneLine(`    choices: ${approval.choices.join(', ')}`));
      count += 1;
    }
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  print(count === 0 ? 'nothing waits for an approval' : `${count} waiting`);
}

/** What is decided, and by whom. */
export type DecisionFlags = {
  readonly action: string;
  readonly by?: string;
  readonly result?: string;
  /** Shows the whole arguments before anything is decided. */
  readonly full?: boolean;
  /** A rejection of a call in doubt is meant as what it is. */
  readonly giveUp?: boolean;
};

/** Where a command writes, and asks; `confirm` is undefined where nobody can answer. */
export type Terminal = { readonly print: (line: string) => void; readonly confirm?: Confirm | undefined };

/**
 * `stopgo approve` and `stopgo reject`: decides, waits for the run, and prints what it came to. What was not shown whole is not
 * approved without `full`; a call in doubt is not given up without `giveUp` or a yes on the terminal.
 */
export async function decide(url: string, uuid: string, flags: DecisionFlags, terminal: Terminal): Promise<void> {
  const path = `/approvals/${encodeURIComponent(uuid)}`;
  const { approval } = (await askGateway(url, path)) as { approval: ShownApproval };
  // Of what is settled the gateway says who decided.
  const action = approval.status === 'pending' ? await decisionOn(approval, flags, terminal) : flags.action;
  const { by, result } = flags;
  const body = { action, ...(by === undefined ? {} : { by }), ...(result === undefined ? {} : { result }) };
  printAnswer((await askGateway(url, path, body)) as RunAnswer, 'the decision is recorded', terminal.print);
}

async function decisionOn(
  approval: ShownApproval,
  { action, full = false, giveUp = false }: DecisionFlags,
  { print, confirm }: Terminal,
): Promise<string> {
  const { uuid, choices, description_cut: isCut = false } = approval;
  const isInDoubt = choices.includes('give_up');
  const started = 'this call was started and may have happened';
  const approveWith = (those: readonly string[]) => oneLine(`\`stopgo approve ${uuid} --action ${those.join('|')}\``);
  if (action === 'approve' && isInDoubt && !choices.includes('approve'))
    throw new Error(`${started}: decide with ${approveWith(choices)}`);
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
  if (full) {
    print(`all arguments of ${shownName(approval.tool_name)}:`);
    for (const line of block(terminalJson(approval.tool_args, 2))) print(line);
  } else if (isCut)
    throw new Error(
      `the description of ${uuid} is cut: \`stopgo approve ${uuid} --full\` shows all arguments and then approves`,
    );
  return action;
}
