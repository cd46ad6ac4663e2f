// The index keeps words and where they stand, not the texts: what it says of one message is known only after all of its
// words were read.
//
// 1. First pass: a sum over the words of each message, minus the same sum over the index. What is left over is suspected.
// 2. Second pass: the words themselves, of those that are suspected. Messages and their words are written once, so one that
//    was appended during the first pass is whole in the second.
// 3. Both are read beside whoever writes, on one connection: a query of the index takes long, and would be broken off. What a
//    transaction holds that is still open is in neither.
import { canceled } from '@stopgo/core';
import { fromBinary, views } from '@stopgo/proto';
import {
  messagesPerConversationMax,
  messagesPerPassMax,
  occurrencesPerTurnMax,
  pageBytesMax,
  problemsMax,
  quotedWordsMax,
  setAsideLoggedMax,
} from '../../bounds.ts';
import { Problems } from '../../problems.ts';
import type { VerifiedSearch } from '../../views.ts';
import { openDatabase } from '../sqlite/database.ts';
import { lastThatFits } from '../sqlite/page-size.ts';
import { wordIndexOptions } from './schema.ts';
import { searchableText } from './search.ts';
import { conversationOfMessage, type ViewTables, viewTables } from './view-tables.ts';
import { type Occurrence, wordsOf } from './words.ts';

const messagesPerReadMax = 200;
const beyondAnyKey = Number.MAX_SAFE_INTEGER;
/** Sums are kept from 0 to below this: two of them are added exactly, three would not be. */
const sumMax = 2 ** 52;

/** As {@link Views.verifySearch}. The loop is given free after each small piece; what is kept does not grow with the log. */
export async function verifySearch(
  { toRead }: Pick<ViewTables, 'toRead'>,
  signal: AbortSignal,
): Promise<VerifiedSearch> {
  const reader = toRead();
  const index = new IndexedMessages(viewTables(reader), signal);
  try {
    const problems = new Problems();
    let messages = 0;
    for (let after = 0; after < beyondAnyKey && !problems.full; ) {
      const sums = new Map<number, number>();
      const add = (message: number, part: number) => {
        const sum = (sums.get(message) ?? 0) + part;
        if (sum === 0 || sum === sumMax) sums.delete(message);
        else sums.set(message, sum < 0 ? sum + sumMax : sum % sumMax);
      };
      const expected = await index.expected(after, beyondAnyKey, (one) => add(one.message, sumOf(one)));
      messages += expected.messages;
      await index.found(after, expected.last, (one) => add(one.message, -sumOf(one)));
      await index.compare(
        [...sums.keys()].sort((a, b) => a - b),
        problems,
      );
      after = expected.last;
    }
    return { messages, problems: problems.found };
  } finally {
    index.close();
    reader.close();
  }
}

class IndexedMessages {
  readonly #tables: ViewTables;
  readonly #signal: AbortSignal;
  /** Holds the words of a few messages at a time, made as those of the index are. */
  readonly #scratch = openDatabase(':memory:', 'write');
  readonly #made: ReturnType<typeof wordsOf>;
  readonly #insert: (...parameters: readonly (number | string)[]) => number;

  constructor(tables: ViewTables, signal: AbortSignal) {
    this.#tables = tables;
    this.#signal = signal;
    this.#scratch.exec(`CREATE VIRTUAL TABLE made USING fts5 (${wordIndexOptions})`);
    this.#made = wordsOf(this.#scratch, 'made');
    this.#made.prepare();
    this.#insert = this.#scratch.run('INSERT INTO made (rowid, words) VALUES (?, ?)');
    tables.words.prepare();
  }

  /** The words of the messages with keys above one up to another, or of as many as one pass takes: `last` is where it ends. */
  async expected(after: number, upTo: number, take: (one: Occurrence) => void) {
    let last = after;
    for (let messages = 0; ; ) {
      const limit = Math.min(messagesPerReadMax, messagesPerPassMax - messages);
      if (limit === 0) return { messages, last };
      const sizes = this.#tables.messageSizes(last, Math.min(upTo + 1, beyondAnyKey), limit);
      const end = lastThatFits(sizes, pageBytesMax);
      if (end === undefined) return { messages, last: upTo };
      const rows = this.#tables.messages(last, end);
      for (const { key, bytes } of rows) {
        const words = textOf(bytes);
        if (words !== '') this.#insert(key, words);
      }
      for (const one of this.#made.occurrences()) take(one);
      this.#scratch.exec(`INSERT INTO made (made) VALUES ('delete-all')`);
      messages += rows.length;
      last = end;
      await this.#pause();
    }
  }

  /** What the index says of the messages with keys above one up to another. */
  async found(after: number, upTo: number, take: (one: Occurrence) => void): Promise<void> {
    let read = 0;
    for (const one of this.#tables.words.occurrences()) {
      if (one.message > after && one.message <= upTo) take(one);
      read += 1;
      if (read % occurrencesPerTurnMax === 0) await this.#pause();
    }
  }

  /** Names what differs of some messages. */
  async compare(suspected: readonly number[], problems: Problems): Promise<void> {
    const left = this.#leftOf(suspected);
    const named = suspected.filter((message) => !left(message)).slice(0, problemsMax);
    const [first, last] = [named[0], named.at(-1)];
    if (first === undefined || last === undefined) return;
    const [expected, found] = [placesOf(named), placesOf(named)];
    for (const message of named)
      await this.expected(message - 1, message, (one) => expected.get(one.message)?.add(placeOf(one)));
    await this.found(first - 1, last, (one) => found.get(one.message)?.add(placeOf(one)));
    for (const message of named) {
      const [right, wrong] = [expected.get(message) ?? new Set<string>(), found.get(message) ?? new Set<string>()];
      const lacking = wordsIn([...right].filter((place) => !wrong.has(place)));
      const excess = wordsIn([...wrong].filter((place) => !right.has(place)));
      const what = this.#nameOf(message);
      if (lacking !== '') problems.add(`${what}: the index lacks ${lacking}`);
      if (excess !== '') problems.add(`${what}: the index has ${excess}, which the message does not hold there`);
    }
  }

  close(): void {
    this.#scratch.close();
  }

  /** True for a message of a conversation that was set aside: its words may be left, and lead to no conversation. */
  #leftOf(suspected: readonly number[]): (message: number) => boolean {
    const gone = new Set<number>();
    for (const message of suspected) {
      const conversation = conversationOfMessage(message);
      if (!gone.has(conversation) && this.#tables.conversationAt(conversation) === undefined) gone.add(conversation);
    }
    const isAllowed = gone.size <= this.#tables.allSetAside(Math.max(gone.size, setAsideLoggedMax)).length;
    return (message) => isAllowed && gone.has(conversationOfMessage(message));
  }

  #nameOf(message: number): string {
    const conversation = conversationOfMessage(message);
    const id = this.#tables.conversationAt(conversation)?.id;
    const sequence = message % messagesPerConversationMax;
    return id === undefined
      ? `message ${sequence} of a conversation that is not there (key ${conversation})`
      : `conversation-${id}: message ${sequence}`;
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#signal.aborted) throw canceled('the verification of the search index was given up');
  }
}

/** A row that cannot be read is a problem of its conversation; nothing is known of its words. */
function textOf(bytes: Uint8Array): string {
  try {
    return searchableText(fromBinary(views.MessageSchema, bytes));
  } catch {
    return '';
  }
}

const placesOf = (messages: readonly number[]) => new Map(messages.map((message) => [message, new Set<string>()]));

const placeOf = ({ word, place }: Occurrence): string => `${place} ${word}`;

function wordsIn(places: readonly string[]): string {
  const words = [...new Set(places.map((place) => place.slice(place.indexOf(' ') + 1)))];
  const quoted = words.slice(0, quotedWordsMax).map((word) => JSON.stringify(word));
  return `${quoted.join(', ')}${words.length > quotedWordsMax ? ` and ${words.length - quotedWordsMax} more words` : ''}`;
}

/** A number for an occurrence that others hardly share, from 1 below `sumMax`. */
function sumOf({ word, place }: Occurrence): number {
  let [high, low] = [0x9e3779b9 ^ place, 0x85ebca6b + place];
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0) || 1;
}
