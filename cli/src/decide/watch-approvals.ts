import { type ApprovalEvent, mayPass, reasonOf, type StreamState } from '@stopgo/client';
import { oneLine, shownName } from '../shown.ts';
import { listIn } from './answered.ts';
import { assigneeText, calledBy, type ShownApproval } from './approvals.ts';
import { askGateway, platformAt } from './gateway.ts';
import { gatewayErrorOf } from './gateway-error.ts';

/** Where the lines go. */
export type Watching = {
  readonly print: (line: string) => void;
  /** Told why nothing comes, once for each time that the connection is lost. */
  readonly warn: (line: string) => void;
  readonly signal: AbortSignal;
  /** Between two tries to connect, in milliseconds. */
  readonly pauseMs: number;
};

/**
 * `stopgo approvals --watch`: what waits, a line each, and from then on a line for each change. Connects again by itself after the last
 * change that it was told, until the signal aborts.
 *
 * @throws GatewayError if there is nobody at first, or once an answer says that it will not do.
 */
export async function watchApprovals(url: string, { print, warn, signal, pauseMs }: Watching): Promise<void> {
  let hasBegun = false;
  let isLost = false;
  const onState = (state: StreamState, why: unknown): void => {
    if (state === 'open') isLost = false;
    if (state !== 'lost') return;
    if (!isLost) warn(oneLine(`not connected: ${reasonOf(why)}; it goes on after the last change once it is`));
    isLost = true;
  };
  const retries = { firstPauseMs: pauseMs, pauseMsMax: pauseMs };
  const options = { signal, onState, mayPass: (error: unknown) => hasBegun && mayPass(error) };
  try {
    for await (const { change } of platformAt(url, retries).approvals.events({}, options)) {
      if (change !== undefined) print(lineOf(change));
      // Whoever lists what waits behind this place misses nothing in between.
      else if (!hasBegun) await printWaiting(url, print);
      hasBegun = true;
    }
  } catch (error) {
    if (!signal.aborted) throw gatewayErrorOf(url, error, signal, 'events');
  }
}

async function printWaiting(url: string, print: (line: string) => void): Promise<void> {
  let cursor = '';
  do {
    const query = new URLSearchParams({ status: 'pending', ...(cursor === '' ? {} : { cursor }) });
    const page = (await askGateway(url, `/approvals?${query}`)) as { next_cursor?: string };
    for (const one of listIn<ShownApproval>(url, page, 'approvals')) print(line(one.created_at, 'waits', one, ''));
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
}

function lineOf({ change, time, actor, approval }: ApprovalEvent): string {
  const by =
    actor.kind === 'system' || actor.id === 'anonymous'
      ? ''
      : ` by ${shownName(actor.id)}${actor.claimed === true ? ' (claimed)' : ''}`;
  switch (change) {
    case 'settled':
      return line(time, approval.status, approval, by);
    case 'voted': {
      const { votes = [], votes_needed: needed = 1 } = approval;
      return line(time, change, approval, `${by}, ${votes.length} of ${needed}`);
    }
    case 'assigned':
      return line(
        time,
        change,
        approval,
        approval.assignee === undefined
          ? ` to nobody${by}`
          : ` ${assigneeText(approval.assignee).replace(/^assigned /, '')}`,
      );
    default:
      return line(time, change, approval, by);
  }
}

function line(time: string | null, word: string, approval: ShownApproval, more: string): string {
  const { uuid, conversation_id: conversation } = approval;
  return oneLine(`${time ?? ''}  ${word}${more}  ${uuid}  ${calledBy(approval)}  conversation ${conversation}`);
}
