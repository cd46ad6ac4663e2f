import { visibleLine } from '@stopgo/core';
import { terminalJson } from '../inspect/terminal-json.ts';
import { counted, oneLine, shownName } from '../shown.ts';
import { listIn } from './answered.ts';
import { askGateway } from './gateway.ts';
import type { ShownInput } from './shown-input.ts';

/** A conversation as a list shows it. */
export type ListedConversation = {
  readonly id: string;
  readonly status: string;
  readonly title: string;
  readonly message_count: number;
  readonly updated_at: string;
  readonly pending_inputs?: readonly ShownInput[];
  readonly waiting_for?: readonly { readonly text: string }[];
};

type Page = {
  readonly conversations: readonly ListedConversation[];
  readonly summary: Readonly<Record<string, number>>;
  readonly next_cursor?: string;
};

/** Conversations in one question to the platform. */
const pageMax = 200;
const shownDefault = 50;
const shownMax = 1_000_000;

export type ListFlags = {
  readonly search?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: string | undefined;
  readonly json: boolean;
};

/** `stopgo conversations`: a line for each, newest first, and how many there are. */
export async function listConversations(url: string, flags: ListFlags, print: (line: string) => void): Promise<void> {
  const limit = limitOf(flags.limit);
  let shown = 0;
  const show = (one: ListedConversation): void => print(flags.json ? terminalJson(one) : lineOf(one));
  for await (const page of pages(url, { q: flags.search ?? '', status: flags.status ?? '' }, limit)) {
    for (const one of page.conversations.slice(0, limit - shown)) show(one);
    shown += page.conversations.length;
    if (flags.json || (page.next_cursor !== undefined && shown < limit)) continue;
    const { total = 0, active = 0, waiting_approval: waiting = 0 } = page.summary;
    if (page.next_cursor !== undefined) print(`the newest ${limit}; more with --limit`);
    print(`${total} in all: ${active} active, ${waiting} waiting for approval`);
  }
}

/** Every conversation that the query gives, in pages, as far as they are wanted. */
export async function* pages(
  url: string,
  query: Readonly<Record<string, string>>,
  limit = shownMax,
): AsyncGenerator<Page> {
  let cursor = '';
  let left = limit;
  do {
    const given = Object.entries({ ...query, limit: String(Math.min(left, pageMax)), cursor });
    const params = new URLSearchParams(given.filter(([, value]) => value !== ''));
    const page = (await askGateway(url, `/conversations?${params}`)) as Page;
    const conversations = listIn<ListedConversation>(url, page, 'conversations');
    yield page;
    left -= conversations.length;
    cursor = page.next_cursor ?? '';
  } while (cursor !== '' && left > 0);
}

function lineOf(one: ListedConversation): string {
  const { id, status, title, message_count: messages, updated_at: at, waiting_for: waits = [] } = one;
  const waiting = waits.length === 0 ? '' : `  waits: ${waits.map(({ text }) => text).join('; ')}`;
  const name = title === '' ? '-' : shownName(title);
  return oneLine(`${id}  ${at}  ${status.padEnd(16)}  ${name}  ${counted(messages, 'message')}${waiting}`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return shownDefault;
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > shownMax)
    throw new Error(`--limit takes a whole number from 1 to ${shownMax}, not "${visibleLine(text)}"`);
  return limit;
}
