import type { StreamName } from '@stopgo/core';
import { catchUpBytesMax, catchUpEventsMax, pageBytesMax, pageEventsMax, readsAtOnceMax } from '../../bounds.ts';
import type { EventLog, LoggedEvent, RecordedEvent, StreamAppend, StreamHead, StreamPage } from '../../event-log.ts';
import type { LiveEvents } from '../../live-events.ts';
import type { Observe } from '../../observe.ts';
import type { Appends } from './appends.ts';
import { sequenceOf } from './batch-message.ts';
import { differencesOf } from './differences.ts';
import { type StreamIndex, toKnownKey } from './index-tables.ts';
import type { Leader } from './leader.ts';
import { lostMessages } from './lost-messages.ts';
import type { Messages } from './messages.ts';
import type { Pipeline } from './pipeline.ts';

export type JetStreamEventLogParts = {
  readonly index: StreamIndex;
  readonly pipeline: Pipeline;
  readonly messages: Messages;
  readonly leader: Leader;
  readonly appends: Appends;
  readonly live: LiveEvents;
  /** Resolves once the index shows all that the log held at the call. */
  readonly caughtUp: () => Promise<void>;
  readonly observe: Observe;
};

/** The event log in a JetStream stream, through the eyes of one replica. */
export class JetStreamEventLog implements EventLog {
  readonly #parts: JetStreamEventLogParts;

  constructor(parts: JetStreamEventLogParts) {
    this.#parts = parts;
  }

  append(append: StreamAppend) {
    return this.#parts.appends.append(append);
  }

  async read(stream: StreamName, fromRevision: number, limit: number): Promise<StreamPage> {
    const { index, caughtUp, observe } = this.#parts;
    await caughtUp();
    const headRevision = index.head(stream)?.revision ?? 0;
    const events = await this.#page(stream, fromRevision, Math.min(limit, pageEventsMax), pageBytesMax);
    observe({ kind: 'stream-read', stream, fromRevision, events: events.length });
    return { events: events.map(({ revision, event }) => ({ revision, event })), headRevision };
  }

  async head(stream: StreamName): Promise<StreamHead | undefined> {
    await this.#ownShown();
    const head = this.#parts.index.head(stream);
    return head === undefined ? undefined : { revision: head.revision, hash: head.hash };
  }

  async keys(stream: StreamName, keys: readonly string[]) {
    if (keys.length === 0) return [];
    await this.#ownShown();
    const known = keys.map((key) => this.#parts.index.key(stream, key));
    return known.filter((key) => key !== undefined).map(toKnownKey);
  }

  async allKeys(stream: StreamName, afterKey: string, limit: number) {
    await this.#ownShown();
    return this.#parts.index.keysAfter(stream, afterKey, limit);
  }

  async readAll(afterPosition: number, limit: number) {
    await this.#parts.caughtUp();
    return (await this.#logPage(afterPosition, Math.min(limit, pageEventsMax), pageBytesMax)).events;
  }

  async lastPosition() {
    await this.#parts.caughtUp();
    return this.#parts.pipeline.position;
  }

  async streams(prefix: string, after: string, limit: number) {
    await this.#parts.caughtUp();
    return this.#parts.index.names(prefix, after, limit);
  }

  async *differences(stream: StreamName, signal: AbortSignal): AsyncGenerator<string, void> {
    await this.#parts.caughtUp();
    yield* differencesOf(this.#parts, stream, signal);
  }

  /** The server gives each message that it stores the next number, and the stream is set to keep them all: they have no gaps. */
  async *lost(signal: AbortSignal): AsyncGenerator<string, void> {
    signal.throwIfAborted();
    yield* lostMessages(await this.#parts.leader.kept());
  }

  async *follow(stream: StreamName, fromRevision: number, signal: AbortSignal): AsyncGenerator<RecordedEvent, void> {
    const { index, live } = this.#parts;
    let next = Math.max(1, fromRevision);
    while (!signal.aborted) {
      // Nothing is awaited between a look that found nothing and this wait: no event can come in between.
      const events =
        (index.head(stream)?.revision ?? 0) >= next
          ? await this.#page(stream, next, catchUpEventsMax, catchUpBytesMax)
          : await live.next(stream, signal);
      for (const { event, revision } of events ?? []) {
        if (signal.aborted) return;
        if (revision !== next) continue;
        yield event;
        next++;
      }
    }
  }

  async *subscribe(afterPosition: number, prefix: string, signal: AbortSignal): AsyncGenerator<RecordedEvent, void> {
    const { pipeline, live } = this.#parts;
    let last = afterPosition;
    while (!signal.aborted) {
      if (pipeline.position > last) {
        const page = await this.#logPage(last, catchUpEventsMax, catchUpBytesMax);
        for (const { event, stream } of page.events) {
          if (signal.aborted) return;
          if (stream.startsWith(prefix)) yield event;
        }
        last = page.last;
        // A long stretch of other streams' events must not hold up everybody else.
        await new Promise((resolve) => setImmediate(resolve));
      } else
        for (const { event, stream } of (await live.next(undefined, signal)) ?? []) {
          if (signal.aborted) return;
          // Shown before: the views were made anew meanwhile.
          if (Number(event.position) <= last) continue;
          last = Number(event.position);
          if (stream.startsWith(prefix)) yield event;
        }
    }
  }

  /**
   * The events between two revisions, for an appender that has not seen them; none if they are more than a page.
   */
  async unseen(stream: StreamName, after: number, upTo: number): Promise<readonly RecordedEvent[]> {
    const count = upTo - after;
    if (count < 1 || count > pageEventsMax) return [];
    const events = await this.#page(stream, after + 1, count, pageBytesMax);
    return events.length === count ? events.map((one) => one.event) : [];
  }

  /** Resolves once the index shows what this replica appended; what others did, it shows as it comes. */
  async #ownShown(): Promise<void> {
    const { pipeline, appends } = this.#parts;
    await pipeline.reached(appends.acknowledged);
  }

  async #page(stream: StreamName, from: number, limit: number, bytesMax: number): Promise<readonly LoggedEvent[]> {
    const first = Math.max(1, from);
    const places = this.#parts.index.places(stream, first, limit);
    const sequences: number[] = [];
    let bytes = 0;
    for (const place of places) {
      if (sequences.length > 0 && (bytes > bytesMax || place.firstRevision >= first + limit)) break;
      bytes += place.bytes;
      sequences.push(place.sequence);
    }
    const appends = await this.#parts.messages.get(sequences);
    const events = appends.flatMap((append) => append.events).filter((one) => one.revision >= first);
    return withinPage(events, limit, bytesMax);
  }

  async #logPage(after: number, limit: number, bytesMax: number): Promise<LogPage> {
    const { pipeline, messages } = this.#parts;
    const { position: end, applied } = pipeline;
    const events: LoggedEvent[] = [];
    let bytes = 0;
    let next = Math.max(1, sequenceOf(after));
    while (events.length < limit && bytes <= bytesMax && next <= applied) {
      const count = Math.min(readsAtOnceMax, applied - next + 1);
      for (const append of await messages.readable(Array.from({ length: count }, (_, n) => next + n))) {
        events.push(...append.events.filter((one) => Number(one.event.position) > after));
        bytes += append.bytes;
      }
      next += count;
    }
    const page = withinPage(events, limit, bytesMax);
    const isAll = next > applied && page.length === events.length;
    return { events: page, last: isAll ? end : Number(page.at(-1)?.event.position ?? end) };
  }
}

/** Some events of the whole log, and the position up to which there are no others. */
type LogPage = { readonly events: readonly LoggedEvent[]; readonly last: number };

/** The first of some events: at most `limit`, and about `bytesMax`, but one if there is one. */
function withinPage(events: readonly LoggedEvent[], limit: number, bytesMax: number): readonly LoggedEvent[] {
  let bytes = 0;
  let count = 0;
  for (const { event } of events) {
    bytes += event.envelope.byteLength;
    if (count > 0 && (count >= limit || bytes > bytesMax)) break;
    count++;
  }
  return events.slice(0, count);
}
