import { chainHash, chainStart, failedPrecondition, type RecordedFact, type StreamName } from '@stopgo/core';
import { create, envelope } from '@stopgo/proto';
import { pageBytesMax, pageEventsMax } from '../../bounds.ts';
import type { AppendOutcome, KnownKey, LoggedEvent, RecordedEvent, StreamAppend } from '../../event-log.ts';
import { encodeEnvelope, recordedFact } from '../../recorded.ts';
import type { ProjectionBatch } from '../../views.ts';
import { isFolded } from '../sqlite-views/rebuild.ts';
import type { LogTables } from './log-tables.ts';
import type { StreamHeads } from './stream-heads.ts';

/** The rows that one append adds to the log. */
export type PlannedAppend = {
  readonly stream: StreamName;
  readonly streamId: number;
  readonly newStream: boolean;
  readonly key: KnownKey;
  readonly events: readonly LoggedEvent[];
};

type PlannedHead = { readonly id: number; readonly revision: number; readonly hash: Uint8Array };

/**
 * Decides what becomes of each append of one commit, in order, before anything is written: each sees those before it.
 * What is refused leaves no trace, so that the others are not harmed.
 *
 * A repeat of an append comes with the revision that it expected before, which the stream has left since. So for an append at the end
 * of its stream no key is looked up, unless the plan is `careful`: a key that is there after all makes the commit contradict what is
 * stored.
 */
export class AppendPlan {
  readonly appends: PlannedAppend[] = [];
  readonly #tables: LogTables;
  readonly #heads: StreamHeads;
  readonly #views: ProjectionBatch;
  readonly #careful: boolean;
  readonly #planned = new Map<StreamName, { head: PlannedHead; readonly appends: PlannedAppend[] }>();
  #position: number;
  #streamId: number;

  constructor(tables: LogTables, heads: StreamHeads, views: ProjectionBatch, careful: boolean) {
    this.#tables = tables;
    this.#heads = heads;
    this.#views = views;
    this.#careful = careful;
    this.#position = heads.lastPosition;
    this.#streamId = heads.lastStreamId;
  }

  /** Position of the last event so far. */
  get position(): number {
    return this.#position;
  }

  /** Id of the newest stream so far. */
  get streamId(): number {
    return this.#streamId;
  }

  /** The ends of the streams that the plan moves. */
  *movedHeads(): Generator<readonly [StreamName, PlannedHead]> {
    for (const [stream, { head }] of this.#planned) yield [stream, head];
  }

  /** Throws `invalid_argument` for events that the views cannot fold. */
  add(append: StreamAppend): AppendOutcome {
    const { stream } = append;
    const head = this.#planned.get(stream)?.head ?? this.#heads.get(stream);
    const known = head === undefined ? undefined : this.#knownKey(append, head);
    if (known !== undefined) return this.#duplicate(stream, head?.id ?? 0, known);
    if (head === undefined && this.#tables.streamId(stream) !== undefined)
      throw failedPrecondition(
        `the events of ${stream} are gone from the log, and its name is still there; run \`stopgo verify\`, and restore the data directory from a backup`,
      );
    const revision = head?.revision ?? 0;
    if (revision !== append.expectedRevision)
      return { kind: 'conflict', revision, unseen: this.#unseen(stream, head?.id, append.expectedRevision, revision) };
    return this.#accept(append, head);
  }

  #accept(append: StreamAppend, head: PlannedHead | undefined): AppendOutcome {
    const { stream } = append;
    const folded = isFolded(stream);
    const facts: RecordedFact[] = [];
    const events: LoggedEvent[] = [];
    let revision = head?.revision ?? 0;
    let hash = head?.hash ?? chainStart;
    let position = this.#position;
    for (const one of append.events) {
      revision++;
      position++;
      const bytes = encodeEnvelope(one, stream, revision);
      hash = chainHash(hash, bytes);
      if (folded) facts.push(recordedFact(one, stream, revision));
      events.push({ stream, revision, event: recorded(bytes, hash, position) });
    }
    // The last thing that can fail: from here on the append is part of the plan.
    if (folded) this.#views.add(stream, facts, this.#position + 1);
    const id = head?.id ?? this.#streamId + 1;
    this.#streamId = Math.max(this.#streamId, id);
    this.#position = position;
    const key = {
      key: append.idempotencyKey,
      requestDigest: append.requestDigest,
      firstRevision: append.expectedRevision + 1,
      lastRevision: revision,
    };
    const planned = { stream, streamId: id, newStream: head === undefined, key, events };
    const appends = this.#planned.get(stream)?.appends ?? [];
    appends.push(planned);
    this.#planned.set(stream, { head: { id, revision, hash }, appends });
    this.appends.push(planned);
    return { kind: 'appended', revision, position };
  }

  #knownKey({ stream, idempotencyKey: key, expectedRevision }: StreamAppend, head: PlannedHead): KnownKey | undefined {
    const planned = this.#planned.get(stream)?.appends.find((one) => one.key.key === key);
    if (planned !== undefined) return planned.key;
    return expectedRevision === head.revision && !this.#careful ? undefined : this.#tables.key(head.id, key);
  }

  #duplicate(stream: StreamName, id: number, known: KnownKey): AppendOutcome {
    const { lastRevision: revision, requestDigest } = known;
    const planned = this.#plannedEvents(stream).find((one) => one.revision === revision);
    const position =
      planned === undefined ? (this.#tables.positionOf(id, revision) ?? 0) : Number(planned.event.position);
    return { kind: 'duplicate', revision, position, requestDigest };
  }

  #unseen(stream: StreamName, id: number | undefined, expected: number, revision: number): readonly RecordedEvent[] {
    if (id === undefined || expected >= revision || revision - expected > pageEventsMax) return [];
    const stored = this.#tables.streamPage(id, expected + 1, pageEventsMax);
    const planned = this.#plannedEvents(stream).filter((one) => one.revision > expected);
    const all = [...stored, ...planned].map((one) => one.event);
    const bytes = all.reduce((sum, one) => sum + one.envelope.byteLength, 0);
    return all.length === revision - expected && bytes <= pageBytesMax ? all : [];
  }

  #plannedEvents(stream: StreamName): LoggedEvent[] {
    return (this.#planned.get(stream)?.appends ?? []).flatMap((one) => one.events);
  }
}

function recorded(bytes: Uint8Array, hash: Uint8Array, position: number): RecordedEvent {
  const event = create(envelope.RecordedSchema);
  event.envelope = bytes;
  event.hash = hash;
  event.position = BigInt(position);
  return event;
}
