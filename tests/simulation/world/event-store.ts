import { create, toBinary } from '@bufbuild/protobuf';
import {
  type ConversationState,
  chainHash,
  chainStart,
  conversationOfStream,
  DomainError,
  decodeRecorded,
  evolve,
  hasWork,
  initialState,
  isDue,
  newEvents,
  parkedTasks,
  project,
  type RecordedFact,
} from '@stopgo/core';
import type { Append, AppendOutcome, Beat, KnownKey, Loaded, OpenRun, Pulse } from '@stopgo/log';
import { envelope, views } from '@stopgo/proto';

/** An append that took effect. */
export type Made = {
  readonly at: number;
  readonly instance: string;
  readonly append: Append;
  readonly firstRevision: number;
  readonly lastRevision: number;
};

/** One stream, with everything that was derived from it at each revision. */
export type Stream = {
  readonly name: string;
  readonly bytes: Uint8Array[];
  readonly hashes: Uint8Array[];
  readonly facts: RecordedFact[];
  readonly keys: Map<string, KnownKey>;
  readonly made: Made[];
  /** State at each revision; index 0 is before the first event. */
  readonly states: ConversationState[];
  readonly messages: views.Message[];
  readonly approvals: Map<string, views.Approval>;
  head: views.ConversationHead | undefined;
};

/** What the store answers to a load: a state, or events where those are enough. */
export type LoadAnswer = Omit<Loaded, 'state'> & { readonly state?: ConversationState };

/** Most events that a load answers with in place of a state; so few that both happen. */
const unseenPerLoadMax = 24;

/** Ways in which the store can be made wrong, to see that the checkers notice. */
export const storeMutations = [
  'accepts-stale-revision',
  'forgets-keys',
  'breaks-chain',
  'projection-skips-a-decision',
  'projection-shows-one-approval',
] as const;
export type StoreMutation = (typeof storeMutations)[number];

/**
 * The store: streams with revisions, idempotency keys, conflicts and a hash chain, the views made from them by the core's
 * own projection in the same step, and the table of heartbeats. Nothing in it waits or fails; the network does.
 */
export class EventStore {
  readonly streams = new Map<string, Stream>();
  private readonly peers = new Map<string, Pulse['instances'][number]>();
  private readonly now: () => number;
  private readonly mutation: StoreMutation | undefined;
  private readonly listeners: ((stream: Stream, made: Made) => void)[] = [];

  constructor(now: () => number, mutation?: StoreMutation) {
    this.now = now;
    this.mutation = mutation;
  }

  /** Calls back in the step in which an append takes effect. */
  onAppend(listener: (stream: Stream, made: Made) => void): void {
    this.listeners.push(listener);
  }

  append(instance: string, append: Append): AppendOutcome {
    const stream = this.streams.get(append.stream) ?? newStream(append.stream);
    const known = stream.keys.get(append.key);
    const current = stream.facts.length;
    if (known !== undefined) {
      const { requestDigest, lastRevision: revision } = known;
      return { kind: 'duplicate', revision, requestDigest, ...this.viewFor(append, stream) };
    }
    const mayBeStale = this.mutation === 'accepts-stale-revision' && append.expectedRevision < current;
    if (append.expectedRevision !== current && !mayBeStale)
      return { kind: 'conflict', currentRevision: current, unseen: stream.facts.slice(append.expectedRevision) };
    if (append.facts.length === 0 || append.eventIds.length !== append.facts.length)
      throw new Error(`an append to ${append.stream} holds no events, or not an id for each`);
    const { key, requestDigest = '', now, actor, causationId, correlationId } = append;
    const events = newEvents(append.facts, { now, actor, causationId, correlationId }, append.eventIds);
    const fresh: RecordedFact[] = [];
    for (const event of events) {
      const revision = stream.bytes.length + 1;
      const { $typeName: _, $unknown: __, ...fields } = event;
      const bytes = toBinary(
        envelope.EnvelopeSchema,
        create(envelope.EnvelopeSchema, { ...fields, stream: append.stream, revision }),
      );
      const hash = chainHash(stream.hashes.at(-1) ?? chainStart, bytes);
      if (this.mutation === 'breaks-chain') hash[0] = 0;
      stream.bytes.push(bytes);
      stream.hashes.push(hash);
      fresh.push(decodeRecorded({ envelope: bytes }));
    }
    const made: Made = {
      at: this.now(),
      instance,
      append,
      firstRevision: current + 1,
      lastRevision: current + fresh.length,
    };
    stream.facts.push(...fresh);
    stream.made.push(made);
    const { firstRevision, lastRevision } = made;
    if (this.mutation !== 'forgets-keys') stream.keys.set(key, { key, requestDigest, firstRevision, lastRevision });
    this.streams.set(append.stream, stream);
    if (conversationOfStream(append.stream) !== undefined) derive(stream, fresh, this.mutation);
    for (const listener of this.listeners) listener(stream, made);
    return { kind: 'appended', revision: lastRevision, ...this.viewFor(append, stream) };
  }

  stream(name: string): Stream | undefined {
    return this.streams.get(name);
  }

  /** The streams of conversations. */
  conversations(): Stream[] {
    return [...this.streams.values()].filter((stream) => conversationOfStream(stream.name) !== undefined);
  }

  /**
   * A conversation as it stood so many events ago: the events since a revision that is known, if they are few, else the
   * state.
   */
  load(conversationId: string, keys: readonly string[], behind: number, knownRevision?: number): LoadAnswer {
    const stream = this.existing(conversationId);
    const revision = Math.max(1, stream.facts.length - behind);
    const knownKeys = keys
      .map((key) => stream.keys.get(key))
      .filter((known) => known !== undefined && known.lastRevision <= revision) as KnownKey[];
    const missing = revision - (knownRevision ?? Number.NEGATIVE_INFINITY);
    if (missing >= 0 && missing <= unseenPerLoadMax)
      return { conversationId, knownKeys, unseen: stream.facts.slice(knownRevision, revision) };
    return { conversationId, state: stream.states[revision] as ConversationState, knownKeys };
  }

  view(conversationId: string): views.ConversationView {
    return viewOf(this.existing(conversationId));
  }

  openRuns(dueBy: number): OpenRun[] {
    return this.conversations().flatMap((stream) => {
      const run = stream.states.at(-1)?.run;
      if (run === undefined || run === null || run.status !== 'open') return [];
      if (run.owner === null && !hasWork(run) && !isDue(run, dueBy)) return [];
      const conversationId = conversationOfStream(stream.name) ?? '';
      const { revision } = stream.states.at(-1) ?? { revision: 0 };
      return [{ conversationId, runId: run.id, ownerInstance: run.owner?.instance ?? '', revision }];
    });
  }

  watchedRuns(): OpenRun[] {
    return this.conversations().flatMap((stream) => {
      const state = stream.states.at(-1) ?? initialState;
      const conversationId = conversationOfStream(stream.name) ?? '';
      const first = parkedTasks(state)[0];
      return first === undefined
        ? []
        : [{ conversationId, runId: first.runId, ownerInstance: '', revision: state.revision }];
    });
  }

  beat({ leaving, ...peer }: Parameters<Beat>[0], isComplete: boolean): Pulse {
    if (peer.instance !== '') this.peers.set(peer.instance, { ...peer, left: leaving });
    return { instances: [...this.peers.values()], complete: isComplete };
  }

  /** Heartbeats are kept in memory only: a store that starts anew knows none. */
  forgetHeartbeats(): void {
    this.peers.clear();
  }

  private existing(conversationId: string): Stream {
    const stream = this.streams.get(`conversation-${conversationId}`);
    if (stream === undefined) throw new DomainError('not_found', `conversation not found: ${conversationId}`);
    return stream;
  }

  private viewFor(append: Append, stream: Stream): { view?: views.ConversationView } {
    return append.wantsView === true ? { view: viewOf(stream) } : {};
  }
}

function newStream(name: string): Stream {
  return {
    name,
    bytes: [],
    hashes: [],
    facts: [],
    keys: new Map(),
    made: [],
    states: [initialState],
    messages: [],
    approvals: new Map(),
    head: undefined,
  };
}

/** Takes new events into the rows and states of their stream, as the store does: in the same step. */
function derive(stream: Stream, fresh: readonly RecordedFact[], mutation: StoreMutation | undefined): void {
  const before = stream.states.at(-1) ?? initialState;
  const rows = project(before, fresh, {
    messagesAt: (revision) => stream.messages.filter((message) => message.revision === revision),
    approval: (id) => stream.approvals.get(id),
  });
  stream.head = rows.head;
  if (mutation === 'projection-shows-one-approval') stream.head?.pendingApprovalIds.splice(1);
  stream.messages.push(...rows.messages);
  for (const approval of rows.approvals)
    if (mutation !== 'projection-skips-a-decision' || !stream.approvals.has(approval.id))
      stream.approvals.set(approval.id, approval);
  // States between are what a reader could have loaded.
  stream.states.push(...statesBetween(before, fresh, rows.state));
}

function statesBetween(
  before: ConversationState,
  fresh: readonly RecordedFact[],
  last: ConversationState,
): ConversationState[] {
  const states: ConversationState[] = [];
  let now = before;
  for (const event of fresh) {
    now = event === fresh.at(-1) ? last : evolve(now, event);
    states.push(now);
  }
  return states;
}

function viewOf(stream: Stream): views.ConversationView {
  const pending = (stream.head?.pendingApprovalIds ?? []).map((id) => stream.approvals.get(id));
  return create(views.ConversationViewSchema, {
    ...(stream.head === undefined ? {} : { head: stream.head }),
    pendingApprovals: pending.filter((one) => one !== undefined),
  });
}

/** The end of a stream's name, for traces. */
export function short(name: string): string {
  return name.startsWith('conversation-') ? `c-${name.slice(-4)}` : name.slice(0, 14);
}
