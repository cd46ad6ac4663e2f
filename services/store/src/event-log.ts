import type { StreamName } from '@stopgo/core';
import type { envelope, store } from '@stopgo/proto';

/** An event as the log gives it back: its stored bytes, its hash, its position in the whole log. */
export type RecordedEvent = envelope.Recorded;

/** What is to be added to one stream. Checked before it reaches the log (see `checkAppend`). */
export type StreamAppend = {
  readonly stream: StreamName;
  /** Last revision of the stream as the appender knows it; 0: the stream must not exist. */
  readonly expectedRevision: number;
  readonly events: readonly store.NewEvent[];
  /** Unique in the stream for ever. */
  readonly idempotencyKey: string;
  /** Kept with the key. */
  readonly requestDigest: string;
};

/** What became of an append. All three are expected. */
export type AppendOutcome =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  /** The stream holds this very append already: by its key, whatever was appended since. */
  | {
      readonly kind: 'duplicate';
      readonly revision: number;
      readonly position: number;
      readonly requestDigest: string;
    }
  /** The head is not the expected one; nothing was written. `unseen` is empty if there is more than a page of it. */
  | { readonly kind: 'conflict'; readonly revision: number; readonly unseen: readonly RecordedEvent[] };

/** An idempotency key that a stream remembers. */
export type KnownKey = {
  readonly key: string;
  readonly requestDigest: string;
  readonly firstRevision: number;
  readonly lastRevision: number;
};

/** The last event of a stream. */
export type StreamHead = { readonly revision: number; readonly hash: Uint8Array };

/** An event of one stream. */
export type StreamEvent = { readonly revision: number; readonly event: RecordedEvent };

/** Some events of one stream in order, and where it ends. */
export type StreamPage = {
  readonly events: readonly StreamEvent[];
  /** 0 if there is no such stream. */
  readonly headRevision: number;
};

/** An event of the whole log. */
export type LoggedEvent = StreamEvent & { readonly stream: StreamName };

/**
 * The log of events: streams of events, each with revisions 1, 2, 3, … and a chain of hashes, in one order of positions.
 *
 * Every method throws `unavailable` when the log cannot be reached now.
 */
export type EventLog = {
  /**
   * Adds events to one stream: all or none, durable before the answer. A key that the stream knows is a duplicate,
   * whatever the expected revision; else the stream must stand exactly at the expected revision.
   *
   * Throws `invalid_argument` for events that the views cannot read, `resource_exhausted` if too much waits. After
   * `unavailable` nothing is known: repeat with the same key.
   */
  append(append: StreamAppend): Promise<AppendOutcome>;
  /** A page of a stream from a revision on. It never shows less than was acknowledged before the call. */
  read(stream: StreamName, fromRevision: number, limit: number): Promise<StreamPage>;
  /**
   * The end of a stream; undefined if there is none. This and the keys show at least what was appended through this log, and
   * what others appended once the views that go with it show it (see `Views.caughtUp`).
   */
  head(stream: StreamName): Promise<StreamHead | undefined>;
  /** Those of the keys that the stream knows. */
  keys(stream: StreamName, keys: readonly string[]): Promise<readonly KnownKey[]>;
  /** What each key of a stream stands for, in order of key, after a key. */
  allKeys(stream: StreamName, afterKey: string, limit: number): Promise<readonly KnownKey[]>;
  /** A page of the whole log after a position. This and those below never show less than was acknowledged before the call. */
  readAll(afterPosition: number, limit: number): Promise<readonly LoggedEvent[]>;
  /** Position of the last event; 0 while the log is empty. */
  lastPosition(): Promise<number>;
  /** Names of streams in order of name. */
  streams(prefix: string, after: string, limit: number): Promise<readonly string[]>;
  /**
   * Where what this log shows of a stream differs from what keeps the stream, a line for each difference; nothing where both
   * are the same thing. It asks for every append: for verification only.
   */
  differences(stream: StreamName, signal: AbortSignal): AsyncIterable<string>;
  /**
   * What the log as a whole has lost, a line for each loss, as far as it shows in the log itself: positions that were given and have
   * no event, where the log gives them without gaps; names without events, and events without a name. For verification only.
   */
  lost(signal: AbortSignal): AsyncIterable<string>;
  /**
   * The events of a stream from a revision on, then each as it is appended: no gap, no duplicate, in order. A slow
   * reader is fed from the log, nothing queues for it. Ends when the signal aborts; throws `unavailable` when the log
   * closes.
   */
  follow(stream: StreamName, fromRevision: number, signal: AbortSignal): AsyncIterable<RecordedEvent>;
  /** Like `follow`, for all streams whose name starts with the prefix, after a position. */
  subscribe(afterPosition: number, prefix: string, signal: AbortSignal): AsyncIterable<RecordedEvent>;
};
