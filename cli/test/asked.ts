import type { ShownApproval } from '../src/decide/approvals.ts';
import type { Lines } from '../src/lines.ts';

/** Lines of a human who sees what is asked, or of a script; each is what `line` gives. */
export function linesOf(isTerminal: boolean, line: Lines['next'], left = new AbortController().signal): Lines {
  return { isTerminal, isSeen: true, left, next: line, nextFromNow: line, close: () => undefined };
}

/** An approval of a payment that waits for a yes or a no. */
export const approvalOf = (uuid: string, conversation_id: string): ShownApproval => ({
  uuid,
  conversation_id,
  tool_name: 'pay',
  description: `pays ${uuid}`,
  tool_args: { to: 'ada' },
  status: 'pending',
  choices: ['approve', 'reject'],
  created_at: '',
});
