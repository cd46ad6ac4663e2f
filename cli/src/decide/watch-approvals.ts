import { setTimeout as pause } from 'node:timers/promises';
import { parseJson } from '@stopgo/core';
import { oneLine, shownName } from '../shown.ts';
import { listIn } from './answered.ts';
import { assigneeText, calledBy, type ShownApproval } from './approvals.ts';
import { askGateway, credentials } from './gateway.ts';
import { GatewayError, mediaTypeOf, notPlatform, reasonOf, refusalOf, unanswered } from './gateway-error.ts';

/** Where the lines go. */
export type Watching = {
  readonly print: (line: string) => void;
  /** Told why nothing comes, once for each time that the connection is lost. */
  readonly warn: (line: string) => void;
  readonly signal: AbortSignal;
  /** Between two tries to connect, in milliseconds. */
  readonly pauseMs: number;
};

type ShownChange = {
  readonly change: string;
  readonly time: string | null;
  readonly actor: { readonly kind: string; readonly id: string; readonly claimed?: boolean };
  readonly approval: ShownApproval;
};

/**
 * `stopgo approvals --watch`: what waits, a line each, and from then on a line for each change. Connects again by itself after the last
 * change that it was told, until the signal aborts.
 *
 * @throws GatewayError if there is nobody at first, or once an answer says that it will not do.
 */
export async function watchApprovals(url: string, watching: Watching): Promise<void> {
  const { print, warn, signal, pauseMs } = watching;
  let last: string | undefined;
  let isLost = false;
  while (!signal.aborted) {
    try {
      for await (const { id, change } of changesAfter(url, last, signal)) {
        isLost = false;
        if (change !== undefined) print(lineOf(change));
        // Whoever lists what waits behind this place misses nothing in between.
        else if (last === undefined) await printWaiting(url, print);
        last = id;
      }
      throw new Error('the connection was closed');
    } catch (error) {
      if (signal.aborted) return;
      if (last === undefined || (error instanceof GatewayError && !error.mayPass)) throw error;
      if (!isLost) warn(oneLine(`not connected: ${reasonOf(error)}; it goes on after the last change once it is`));
      isLost = true;
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
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

type Message = { readonly id: string; readonly change?: ShownChange };

/** The messages of one connection: of each the place to go on from, and the change if it tells one. */
async function* changesAfter(
  url: string,
  last: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const headers = { ...credentials(), ...(last === undefined ? {} : { 'last-event-id': last }) };
  const response = await fetch(new URL('/approvals/events', url), { headers, signal }).catch((error: unknown) => {
    throw unanswered(url, error);
  });
  if (!response.ok || response.body === null) throw refusalOf(response, parseJson(await response.text()));
  const type = mediaTypeOf(response);
  if (type !== 'text/event-stream') {
    await response.body.cancel();
    throw notPlatform(url, `${type} instead of events`, '');
  }
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      // Parsers of event streams leave out what has an id alone, and that is the place to go on from.
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id !== undefined) yield data === undefined ? { id } : { id, change: JSON.parse(data) as ShownChange };
    }
  }
}

function lineOf({ change, time, actor, approval }: ShownChange): string {
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
