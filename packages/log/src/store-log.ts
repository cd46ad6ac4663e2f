import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type ConversationState,
  conversationStream,
  decodeRecorded,
  decodeSnapshot,
  fold,
  foldVersion,
  initialState,
  newEvents,
  type RecordedFact,
} from '@stopgo/core';
import type { views, store as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Append, AppendOutcome, ConversationLog, Loaded, OpenRun } from './conversation-log.ts';
import type { Beat } from './heartbeat.ts';

type StoreClient = Client<typeof wire.StoreService>;

/** Longest wait for an append, in milliseconds; after it the outcome is unknown and the append is repeated. */
const appendTimeoutMs = 5_000;
/** Longest wait for a heartbeat, in milliseconds. One that took half the time to live would come too late to act upon. */
const heartbeatMsMax = 1_000;

/** The log through the store service. */
export function storeLog(store: StoreClient): ConversationLog {
  return {
    append: (append) => appendTo(store, append),
    load: (conversationId, keys = [], known) => load(store, conversationId, keys, known),
    read: (stream, fromRevision, signal, through) => read(store, stream, fromRevision, signal, through),
    follow: (stream, fromRevision, signal) => follow(store, stream, fromRevision, signal),
    openRuns: (dueBy) => openRuns(store, { dueBy: timestampFromMs(dueBy) }),
    watchedRuns: () => openRuns(store, { watched: true }),
    view: async (conversationId) => present(await store.getConversation({ conversationId }, {})).view,
  };
}

/** Heartbeats through the store service. */
export function storeBeat(store: StoreClient, ttlMs: number): Beat {
  const timeoutMs = Math.min(heartbeatMsMax, ttlMs / 2);
  return async ({ counter, waits = [], ...self }, signal) => {
    const told = waits.length === 0 ? {} : { waits: [...waits], waitsMs: ttlMs };
    const { instances, complete } = await store.heartbeat(
      { ...self, ...told, counter: BigInt(counter) },
      { signal, timeoutMs },
    );
    return {
      instances: instances.map(({ instance, role, address, left, counter: count }) => {
        return { instance, role, address, left, counter: Number(count) };
      }),
      complete,
    };
  };
}

/** The events of an append, as they go over the wire. */
export function appendedEvents({ facts, now, actor, causationId, correlationId, eventIds }: Append): wire.NewEvent[] {
  return newEvents(facts, { now, actor, causationId, correlationId }, eventIds);
}

async function appendTo(store: StoreClient, append: Append): Promise<AppendOutcome> {
  const { stream, expectedRevision, key, requestDigest = '' } = append;
  const { outcome } = await store.append(
    {
      stream,
      expectedRevision,
      events: appendedEvents(append),
      idempotencyKey: key,
      requestDigest,
      returnView: append.wantsView ?? false,
    },
    { timeoutMs: appendTimeoutMs },
  );
  switch (outcome.case) {
    case 'appended':
      return {
        kind: 'appended',
        revision: outcome.value.revision,
        watchers: outcome.value.watchers,
        ...optionalView(outcome.value.view),
      };
    case 'duplicate': {
      const { revision, requestDigest: digest, view } = outcome.value;
      return { kind: 'duplicate', revision, requestDigest: digest, ...optionalView(view) };
    }
    case 'conflict': {
      const { currentRevision, unseen } = outcome.value;
      return { kind: 'conflict', currentRevision, unseen: unseen.map(decodeRecorded) };
    }
    default:
      throw new Error(`the store gave no outcome for an append to ${stream}`);
  }
}

function optionalView(view: views.ConversationView | undefined): { view?: views.ConversationView } {
  return view === undefined ? {} : { view };
}

async function load(
  store: StoreClient,
  conversationId: string,
  keys: readonly string[],
  known: ConversationState | undefined,
): Promise<Loaded> {
  const answer = await store.load({
    by: { case: 'conversationId', value: conversationId },
    idempotencyKeys: [...keys],
    knownRevision: known?.revision ?? 0,
    knownFoldVersion: known === undefined ? 0 : foldVersion,
  });
  const knownKeys = answer.knownKeys.map(({ idempotencyKey: key, requestDigest, firstRevision, lastRevision }) => ({
    key,
    requestDigest,
    firstRevision,
    lastRevision,
  }));
  if (known !== undefined && answer.snapshot.length === 0) {
    const unseen = answer.unseen.map(decodeRecorded);
    return { conversationId, state: fold(known, unseen), knownKeys, unseen };
  }
  // A store that runs another version of the fold: the events are the truth.
  const state =
    decodeSnapshot(answer.snapshot, answer.foldVersion) ??
    fold(initialState, await all(read(store, conversationStream(conversationId), 1, undefined)));
  return { conversationId, state, knownKeys };
}

async function all(events: AsyncIterable<RecordedFact>): Promise<RecordedFact[]> {
  const list: RecordedFact[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function* read(
  store: StoreClient,
  stream: string,
  fromRevision: number,
  signal: AbortSignal | undefined,
  through = Number.POSITIVE_INFINITY,
): AsyncGenerator<RecordedFact> {
  for (let next = Math.max(1, fromRevision); next <= through; ) {
    const limit = Number.isFinite(through) ? through - next + 1 : 0;
    const page = await store.readStream({ stream, fromRevision: next, limit }, signal === undefined ? {} : { signal });
    for (const event of page.events) yield decodeRecorded(event);
    next += page.events.length;
    if (page.events.length === 0 || next > page.headRevision) return;
  }
}

async function* follow(
  store: StoreClient,
  stream: string,
  fromRevision: number,
  signal: AbortSignal,
): AsyncGenerator<RecordedFact> {
  for await (const { event } of store.follow({ stream, fromRevision }, { signal }))
    if (event !== undefined) yield decodeRecorded(event);
}

async function openRuns(
  store: StoreClient,
  which: MessageInitShape<typeof wire.ListOpenRunsRequestSchema>,
): Promise<readonly OpenRun[]> {
  const runs: OpenRun[] = [];
  for (let cursor = ''; ; ) {
    const page = await store.listOpenRuns({ ...which, cursor });
    for (const { conversationId, runId, ownerInstance, revision } of page.runs)
      runs.push({ conversationId, runId, ownerInstance, revision });
    cursor = page.nextCursor;
    if (cursor === '') return runs;
  }
}

function present(answer: wire.GetConversationResponse): { view: views.ConversationView } {
  if (answer.view === undefined) throw new Error('the store gave no view of a conversation');
  return { view: answer.view };
}
