import type { Actor, ConversationState, Fact, RecordedFact } from '@stopgo/core';
import type { views } from '@stopgo/proto';

/** What is to be appended to one stream, all or nothing. */
export type Append = {
  readonly stream: string;
  /** Last revision as the appender knows it; 0 = the stream must not exist. */
  readonly expectedRevision: number;
  readonly facts: readonly Fact[];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string;
  /** Repeats of the same append carry the same key, and the same events. */
  readonly key: string;
  readonly requestDigest?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** One id for each fact. */
  readonly eventIds: readonly string[];
  /** Answer with the conversation's view. */
  readonly wantsView?: boolean;
};

export type AppendOutcome =
  | {
      readonly kind: 'appended';
      readonly revision: number;
      readonly view?: views.ConversationView;
      /** How many watch the conversation's deltas. */
      readonly watchers?: number;
    }
  /** This very append is on the record already. */
  | {
      readonly kind: 'duplicate';
      readonly revision: number;
      readonly requestDigest: string;
      readonly view?: views.ConversationView;
    }
  /** The stream has moved on; `unseen` are the events after the expected revision, or empty if there are too many. */
  | { readonly kind: 'conflict'; readonly currentRevision: number; readonly unseen: readonly RecordedFact[] };

/** An append that carried a key that was asked for. */
export type KnownKey = {
  readonly key: string;
  readonly requestDigest: string;
  readonly firstRevision: number;
  readonly lastRevision: number;
};

export type Loaded = {
  readonly conversationId: string;
  readonly state: ConversationState;
  readonly knownKeys: readonly KnownKey[];
  /** The events between the state that the caller knew and this one, where they were given. */
  readonly unseen?: readonly RecordedFact[];
};

/** A run that some process should be driving. */
export type OpenRun = {
  readonly conversationId: string;
  readonly runId: string;
  /** Empty if nobody owns it. */
  readonly ownerInstance: string;
  /** Of the conversation, as the list shows it. */
  readonly revision: number;
};

/**
 * The log as a service needs it. Every call may reject with a `DomainError`: `unavailable` and
 * `deadline_exceeded` say that the outcome is unknown; an append is then repeated with the same key.
 */
export type ConversationLog = {
  append(append: Append): Promise<AppendOutcome>;
  /**
   * The state of a conversation; from a state that is known already only what came after it need be read. Rejects with
   * `not_found` if there is no such conversation.
   */
  load(conversationId: string, keys?: readonly string[], known?: ConversationState): Promise<Loaded>;
  /** The events of a stream from a revision on, to its present end, or through another revision. */
  read(stream: string, fromRevision: number, signal?: AbortSignal, through?: number): AsyncIterable<RecordedFact>;
  /** The events of a stream from a revision on, and then each new one, until the signal aborts. */
  follow(stream: string, fromRevision: number, signal: AbortSignal): AsyncIterable<RecordedFact>;
  /** Runs that somebody has to drive; also those of which something is due by a time, in milliseconds since 1970. */
  openRuns(dueBy: number): Promise<readonly OpenRun[]>;
  /** Runs, also settled ones, with tasks of other agents that wait for an answer or are to be ended; without owners. */
  watchedRuns(): Promise<readonly OpenRun[]>;
  view(conversationId: string): Promise<views.ConversationView>;
};
