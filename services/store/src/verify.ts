import {
  canceled,
  chainHash,
  chainStart,
  conversationOfPush,
  conversationOfStream,
  DomainError,
  decodeRecorded,
  isPersonStream,
  type StreamName,
  streamsNamedBy,
} from '@stopgo/core';
import { envelope, fromBinary } from '@stopgo/proto';
import { pageEventsMax, readAgainMax } from './bounds.ts';
import type { EventLog, StreamEvent } from './event-log.ts';
import { equal, Problems } from './problems.ts';
import { PersonCheck } from './verify-people.ts';
import { PushCheck } from './verify-push.ts';
import { ViewCheck } from './verify-views.ts';
import type { Views } from './views.ts';

/** What was found; no problem: the stream is sound. */
export type Verified = {
  readonly events: number;
  readonly problems: readonly string[];
  /** The streams that its events name, each with the revision of the first event that does. Whether they are there is not looked at. */
  readonly named: ReadonlyMap<StreamName, number>;
};

/**
 * Recomputes a stream from its stored bytes: revisions without gaps, each event's own stream and revision, the chain of
 * hashes, the idempotency keys that cover every event once, and that nothing is shown otherwise than it is kept; of a
 * conversation also every row of its views, of a push stream and one of people its row.
 */
export async function verifyStream(
  log: EventLog,
  views: Views,
  stream: StreamName,
  signal: AbortSignal,
): Promise<Verified> {
  const problems = new Problems();
  const chain = new ChainCheck(stream, problems);
  const conversationId = conversationOfStream(stream);
  const rows =
    conversationId === undefined ? otherCheck(stream, views, problems) : new ViewCheck(conversationId, views, problems);
  const named = new Map<StreamName, number>();
  let isReadable = true;
  let readAgain = readAgainMax;
  for (;;) {
    if (signal.aborted) throw canceled(`the verification of ${stream} was given up`);
    const page = await readable(log, stream, chain.revision + 1, problems);
    isReadable = page !== undefined;
    if (page === undefined) break;
    // Who appended meanwhile has moved the views too: what they show is read first. Nothing is awaited from here to the
    // comparison.
    const isBehind = (rows?.shownRevision ?? 0) > chain.revision;
    if (page.events.length === 0 && !(isBehind && readAgain-- > 0)) break;
    for (const one of page.events) {
      chain.add(one);
      rows?.add(one);
      addNamed(named, one);
    }
    await views.caughtUp(signal, Number(page.events.at(-1)?.event.position ?? 0));
    if (rows instanceof ViewCheck) rows.compareMessages();
    if (problems.full) break;
    // A long stream must not hold up everybody else.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What follows from events that cannot be read cannot be told.
  if (isReadable) rows?.compareRest();
  await checkKeys(log, stream, chain.revision, problems);
  for await (const difference of log.differences(stream, signal)) {
    problems.add(difference);
    if (problems.full) break;
  }
  return { events: chain.events, problems: problems.found, named };
}

/** The next page; undefined, and a problem, where the log cannot give it any more. */
async function readable(log: EventLog, stream: StreamName, fromRevision: number, problems: Problems) {
  try {
    return await log.read(stream, fromRevision, pageEventsMax);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'data_loss') throw error;
    problems.add(`its events from ${fromRevision} on cannot be read: ${error.message}`);
    return undefined;
  }
}

function addNamed(named: Map<StreamName, number>, { revision, event }: StreamEvent): void {
  let streams: readonly StreamName[] = [];
  try {
    streams = streamsNamedBy(decodeRecorded(event).fact);
  } catch {
    // One that cannot be read is a problem already.
  }
  for (const stream of streams) if (!named.has(stream)) named.set(stream, revision);
}

function otherCheck(stream: StreamName, views: Views, problems: Problems): PushCheck | PersonCheck | undefined {
  if (isPersonStream(stream)) return new PersonCheck(stream, views, problems);
  const conversationId = conversationOfPush(stream);
  return conversationId === undefined ? undefined : new PushCheck(conversationId, views, problems);
}

class ChainCheck {
  events = 0;
  /** The last revision seen. */
  revision = 0;
  #hash: Uint8Array = chainStart;
  readonly #stream: string;
  readonly #problems: Problems;

  constructor(stream: string, problems: Problems) {
    this.#stream = stream;
    this.#problems = problems;
  }

  add({ revision, event }: StreamEvent): void {
    if (revision !== this.revision + 1)
      this.#problems.add(
        revision === this.revision + 2
          ? `event ${revision - 1} is missing`
          : `events ${this.revision + 1} to ${revision - 1} are missing`,
      );
    const hash = chainHash(this.#hash, event.envelope);
    if (!equal(hash, event.hash))
      this.#problems.add(`event ${revision}: its hash does not follow from its bytes and the hash before`);
    this.#checkEnvelope(revision, event.envelope);
    // The stored hash, so that one damaged event is one problem.
    this.#hash = event.hash;
    this.revision = revision;
    this.events++;
  }

  #checkEnvelope(revision: number, bytes: Uint8Array): void {
    const outer = decode(bytes);
    if (outer === undefined) this.#problems.add(`event ${revision}: its bytes are no event`);
    else if (outer.stream !== this.#stream || outer.revision !== revision)
      this.#problems.add(`event ${revision}: its bytes say event ${outer.revision} of ${JSON.stringify(outer.stream)}`);
  }
}

function decode(bytes: Uint8Array): envelope.Envelope | undefined {
  try {
    return fromBinary(envelope.EnvelopeSchema, bytes);
  } catch {
    return undefined;
  }
}

/** Every event belongs to exactly one append, whose key is known, and no append has lost events. */
async function checkKeys(log: EventLog, stream: StreamName, last: number, problems: Problems): Promise<void> {
  const appends = new Uint8Array(last + 1);
  let after = '';
  for (;;) {
    const keys = await log.allKeys(stream, after, pageEventsMax);
    const head = (await log.head(stream))?.revision ?? 0;
    for (const { key, firstRevision, lastRevision } of keys) {
      if (lastRevision > head)
        problems.add(`the append ${JSON.stringify(key)} reached event ${lastRevision}; the stream ends at ${head}`);
      for (let revision = firstRevision; revision <= Math.min(lastRevision, last); revision++)
        appends[revision] = Math.min(2, (appends[revision] ?? 0) + 1);
    }
    const end = keys.at(-1);
    if (end === undefined) break;
    after = end.key;
  }
  for (let revision = 1; revision <= last; revision++)
    if (appends[revision] !== 1)
      problems.add(
        `event ${revision}: ${appends[revision] === 0 ? 'no' : 'more than one'} idempotency key stands for it`,
      );
}
