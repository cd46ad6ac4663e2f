import { visibleText } from '@stopgo/core';
import { askGateway } from './gateway.ts';

type ShownApproval = {
  readonly uuid: string;
  readonly conversation_id: string;
  readonly tool_name: string;
  readonly server?: string;
  /** The node of a tree that asks. */
  readonly node?: string;
  readonly description: string;
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
      const tool = `${tool_name}${server === '' ? '' : ` of ${server}`}${node === '' ? '' : ` for ${node}`}`;
      print(visibleText(`${uuid}  ${created_at}  ${tool}  conversation ${conversation_id}`));
      for (const line of approval.description.split('\n')) print(visibleText(`    ${line}`));
      print(visibleText(`    choices: ${approval.choices.join(', ')}`));
      count += 1;
    }
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  print(count === 0 ? 'nothing waits for an approval' : `${count} waiting`);
}

/** What is decided, and by whom. */
export type DecisionFlags = { readonly action: string; readonly by?: string; readonly result?: string };

/** `stopgo approve` and `stopgo reject`: decides, waits for the run, and prints what it came to. */
export async function decide(
  url: string,
  uuid: string,
  flags: DecisionFlags,
  print: (line: string) => void,
): Promise<void> {
  const { action, by, result } = flags;
  const body = { action, ...(by === undefined ? {} : { by }), ...(result === undefined ? {} : { result }) };
  const answer = (await askGateway(url, `/approvals/${encodeURIComponent(uuid)}`, body)) as {
    result?: { response?: string };
    run?: { status?: string };
  };
  print(
    visibleText(answer.result?.response ?? `the decision is recorded; the run is ${answer.run?.status ?? 'going on'}`),
  );
}
