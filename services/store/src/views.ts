import type { ConversationState, EarlierTexts, ProjectedRows, RecordedFact, StreamName } from '@stopgo/core';
import type { facts, views } from '@stopgo/proto';

/** What a decider starts from. */
export type Snapshot = {
  readonly conversationId: string;
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly foldVersion: number;
};

/** Which rows of a list, and where to go on. */
export type Page<K = number> = {
  readonly limit: number;
  /** Key of the last row that was given; undefined: from the start. */
  readonly after: K | undefined;
};

/** A conversation whose addresses may have something to be told, or that somebody has claimed. */
export type DuePush = {
  readonly conversationId: string;
  /** Empty if nobody has. */
  readonly ownerInstance: string;
};

/** The row of a push stream as it is stored. */
export type StoredPush = {
  readonly bytes: Uint8Array;
  /** The columns that lists select by. */
  readonly settledRevision: number;
  readonly live: number;
  readonly ownerInstance: string;
};

/** The row of a stream of people as it is stored, with the columns that lists select by. */
export type StoredPerson = { readonly kind: string; readonly ofUser: string; readonly bytes: Uint8Array };

/** Rows of a list; `next` is the key to go on from, undefined at the end. */
export type Rows<T, K = number> = { readonly rows: readonly T[]; readonly next: K | undefined };

export type ConversationFilter = {
  /** Undefined: all. */
  readonly status: views.ConversationStatus | undefined;
  /** Words that the conversation must contain, each; undefined: all. Words without a letter or digit count not. */
  readonly query: string | undefined;
  /** Only those of this principal, by its key, which is not the anonymous one; undefined: all. */
  readonly principal?: string | undefined;
};

/** Which conversations of all, by what lists select them by. */
export type ChangeFilter = {
  /** Undefined: of all. */
  readonly context: ContextName | undefined;
  /** Only those of this principal, by its key, which is not the anonymous one, where no context is named; undefined: all. */
  readonly principal?: string | undefined;
  /** Undefined: all. */
  readonly standing: views.Standing | undefined;
  /** In milliseconds since 1970. */
  readonly changedSince: number;
};

/** A context: ids of different principals are of different ones. */
export type ContextName = { readonly id: string; readonly principal: string };

/** A row's place among conversations by their last change. */
export type ChangeKey = { readonly changedAt: number; readonly key: number };

/** A question, and the conversation that it is asked in. */
export type AskedInput = { readonly conversationId: string; readonly input: views.PendingInput };

/** A conversation's place among those that ask, by how long they do, in milliseconds since 1970. */
export type AskingKey = { readonly since: number; readonly key: number };

export type ApprovalFilter = {
  readonly status: views.ApprovalStatus | undefined;
  readonly conversationId: string | undefined;
  /** Only what a person was asked in this run, of a conversation that is named, and of every status; undefined: all. */
  readonly askedInRun?: string | undefined;
  /** Only of conversations of this principal, by its key, which is not the anonymous one; undefined, or where a conversation is named: of all. */
  readonly principal?: string | undefined;
  /** Only those that wait for somebody, where no conversation is named; undefined: all. */
  readonly askedOf?: AskedOf | undefined;
  readonly narrow?: ApprovalNarrowing;
};

/** Somebody who may decide: the words that approvals are found by, their key, and a time in milliseconds since 1970. */
export type AskedOf = {
  readonly words: readonly string[];
  readonly principal: string;
  readonly at: number;
  /** True: what they have said yes to is left out. */
  readonly withoutVoted: boolean;
};

/** What is counted of waiting approvals; undefined: not that, or of all. */
export type ApprovalsCounted = {
  /** Of conversations of this principal, by its key, which is not the anonymous one. It does not limit what asks somebody. */
  readonly principal: string | undefined;
  readonly askedOf: AskedOf | undefined;
  /** When, for what waits longer than it should, in milliseconds since 1970. */
  readonly at: number | undefined;
  /** Key of a voter; of what is assigned to them only what asks somebody, if that is counted. */
  readonly assignee: string | undefined;
};

/** Waiting approvals, each counted up to `countedMax`; 0 for what was not asked for. */
export type ApprovalCounts = {
  readonly waiting: number;
  readonly asked: number;
  readonly overdue: number;
  readonly assigned: number;
};

/** What a list of approvals is narrowed by, row by row; undefined: not by that. */
export type ApprovalNarrowing = {
  readonly tool?: string | undefined;
  readonly server?: string | undefined;
  readonly node?: string | undefined;
  /** Name of the agent of the conversation. */
  readonly agent?: string | undefined;
  /** What the tool's whole name matches, see `matchesGlob`. */
  readonly toolPattern?: string | undefined;
  /** In milliseconds since 1970. */
  readonly requestedBefore?: number | undefined;
  /** Only what waits longer than it should at this time, in milliseconds since 1970. */
  readonly overdueAt?: number | undefined;
  /** Only what waits and is assigned to this one, by the key of a voter; empty: to nobody in particular. */
  readonly assignee?: string | undefined;
};

export type Counts = {
  readonly total: number;
  readonly active: number;
  readonly waitingApproval: number;
  readonly completed: number;
};

export type OpenRunRow = {
  readonly conversationId: string;
  readonly runId: string;
  readonly owner: { readonly instance: string; readonly epoch: number } | undefined;
  readonly revision: number;
};

/** A run of which something is due, in milliseconds since 1970. */
export type DueRunRow = OpenRunRow & { readonly dueAt: number };

/** A conversation whose events cannot be folded, and the first of them that is to blame. */
export type SetAside = {
  readonly conversationId: string;
  /** Place of the event in the whole log. */
  readonly position: number;
  /** Place of the event in its stream. */
  readonly revision: number;
  readonly reason: string;
};

/** The stored rows of one conversation, byte for byte, for verification. */
export type StoredConversation = {
  readonly revision: number;
  readonly foldVersion: number;
  readonly head: Uint8Array;
  readonly snapshot: Uint8Array;
  /** The columns that lists select by. */
  readonly status: number;
  readonly openRun: OpenRunRow | undefined;
  readonly belongs: Belonging;
  readonly watchedRun: OpenRunRow | undefined;
  readonly dueRun: DueRunRow | undefined;
  readonly asking: StoredAsking;
};

/** What waits for people's answers, by what lists select it by: how many, and since when, in milliseconds since 1970. */
export type StoredAsking = { readonly number: number; readonly since: number | undefined };

/** More columns that lists select by. */
export type Belonging = {
  readonly contextId: string;
  readonly principal: string;
  readonly standing: number;
  /** In milliseconds since 1970. */
  readonly changedAt: number;
};

export type StoredRow<K> = { readonly key: K; readonly bytes: Uint8Array };

export type StoredApproval = StoredRow<string> & {
  /** The columns that lists select by. */
  readonly status: number;
  readonly askedInRun: string;
  readonly principal: string;
  readonly tool: string;
  readonly server: string;
  readonly node: string;
  /** In milliseconds since 1970. */
  readonly requestedAt: number;
  readonly overdueFrom: number | undefined;
  readonly assignee: string;
  readonly agent: string;
  /** The words that lists find it by, in order. */
  readonly isAskedOfAll: boolean;
  readonly askings: readonly { readonly asked: string; readonly from: number; readonly notBy: readonly string[] }[];
};

/**
 * The read models: rows that are a function of the log up to their position.
 *
 * A conversation whose events cannot be folded is in no list; a read of it by its id throws `data_loss`.
 */
export type Views = {
  /**
   * Resolves once the rows show every append that was acknowledged before the call, by whichever replica; to be awaited
   * before a read by id. With a position it is enough that they show the log up to there. Throws `unavailable` if that
   * takes longer than `readWaitMsMax`.
   */
  caughtUp(signal: AbortSignal, position?: number): Promise<void>;
  /** False while the log is out of reach: then nobody knows how old the rows are. */
  isFed(): boolean;
  /** Position of the log that the rows show. */
  position(): number;
  snapshot(conversationId: string): Snapshot | undefined;
  /** What the snapshot holds. */
  state(conversationId: string): ConversationState | undefined;
  view(conversationId: string): views.ConversationView | undefined;
  /** Messages above a sequence, at most `limit` and about `bytesMax`, at least one if there is one. */
  messages(
    conversationId: string,
    afterSequence: number,
    limit: number,
    bytesMax: number,
  ): { readonly messages: views.Message[]; readonly more: boolean };
  /** Newest first. */
  conversations(filter: ConversationFilter, page: Page): Rows<views.ConversationView>;
  /** The one that changed last first. */
  conversationsByChange(filter: ChangeFilter, page: Page<ChangeKey>): Rows<views.ConversationView, ChangeKey>;
  /** How many conversations a filter lets through, counted up to `countedMax`. */
  countByChange(filter: ChangeFilter): number;
  /** The latest of what was said in the conversations of a context; nothing of a context that is not known. */
  said(context: ContextName, most: { readonly textsMax: number; readonly bytesMax: number }): EarlierTexts;
  /** Of all, or of one principal, by its key. */
  counts(principal?: string): Counts;
  approval(id: string): views.Approval | undefined;
  /** Whose conversation an approval is in, by the key of the principal, and the name of its agent; undefined for what is not there. */
  placeOfApproval(id: string): { readonly owner: string; readonly agent: string } | undefined;
  /** Oldest first. A page may be short, or empty, and have a `next`: it looks at a bounded number of rows. */
  approvals(filter: ApprovalFilter, page: Page): Rows<views.Approval>;
  countApprovals(counted: ApprovalsCounted): ApprovalCounts;
  /**
   * What tool servers and agents ask people, of all conversations or those of one principal, by its key: those that wait longest first. A
   * page ends with the conversation that reaches its limit, of which it has all.
   */
  inputs(principal: string | undefined, page: Page<AskingKey>): Rows<AskedInput, AskingKey>;
  /** How many of them there are, counted up to `countedMax`. */
  countInputs(principal: string | undefined): number;
  /** Runs that have an owner or something to do. `dueBy`: also those of which something is due by then, in milliseconds since 1970. */
  openRuns(page: Page, dueBy?: number): Rows<OpenRunRow>;
  /** Who is told of a conversation; undefined if nobody ever was. */
  push(conversationId: string): views.Push | undefined;
  duePushes(page: Page): Rows<DuePush>;
  user(id: string): views.User | undefined;
  /** In the order in which they were created. */
  users(page: Page): Rows<views.User>;
  countUsers(): number;
  apiKey(id: string): views.ApiKey | undefined;
  /** Of one user, oldest first. */
  apiKeys(userId: string, page: Page): Rows<views.ApiKey>;
  /** The blob as an event of the conversation names it; undefined if none does. */
  blobNamed(conversationId: string, digest: string): facts.BlobRef | undefined;
  /**
   * Whether an event of any conversation names the blob. Undefined if none of those that are shown does, and a conversation is set
   * aside: what its events name, nobody can tell.
   */
  isBlobNamed(digest: string): boolean | undefined;
  /** Runs, also settled ones, with tasks of other agents that wait for an answer or are to be ended. */
  watchedRuns(page: Page): Rows<OpenRunRow>;
  /** The rows as they are stored. */
  stored(conversationId: string): StoredConversation | undefined;
  storedMessages(conversationId: string, afterSequence: number, limit: number): readonly StoredRow<number>[];
  storedMessagesAt(conversationId: string, revision: number): readonly views.Message[];
  storedApprovals(conversationId: string): readonly StoredApproval[];
  /** The blobs that its events name, in order of digest, after a digest. */
  storedBlobNames(conversationId: string, after: string, limit: number): readonly StoredRow<string>[];
  storedPush(conversationId: string): StoredPush | undefined;
  storedPerson(stream: StreamName): StoredPerson | undefined;
  /** Streams of people that have a row, in order of name, after a name. */
  storedPersonStreams(after: string, limit: number): readonly string[];
  /** Ids of the conversations that have a row, in order of id, after an id. */
  storedIds(after: string, limit: number): readonly string[];
  /** Ids of the conversations whose push stream has a row, the same way. */
  storedPushIds(after: string, limit: number): readonly string[];
  /** Compares the index of words with the messages, all of them, both ways. Throws `canceled` when the signal aborts. */
  verifySearch(signal: AbortSignal): Promise<VerifiedSearch>;
};

/** What a verification of the search index found; no problem: it holds the words of the messages and no others. */
export type VerifiedSearch = { readonly messages: number; readonly problems: readonly string[] };

/** What events made of a conversation, and where it was before. */
export type Folded = { readonly before: object | undefined; readonly rows: ProjectedRows };

/** What the views make of an append before it is written; see `Projection`. */
export type ProjectionBatch = {
  /**
   * Works out the rows after one append on top of those added before. Throws `invalid_argument` for events that cannot
   * be folded, `data_loss` if the conversation was set aside or its rows do not show its stream, `resource_exhausted` if
   * there is no room for it; whatever it throws, it is then as if it had not been called. `key` is the place of the append
   * in the order of the log, at most `conversationKeyMax`: that of a conversation's first append becomes its key.
   *
   * Gives what it worked out. A batch that adds the same append later need not fold it again, if the conversation is still
   * where it was.
   */
  add(stream: StreamName, events: readonly RecordedFact[], key: number, folded?: Folded): Folded | undefined;
  /** Takes the conversation of a stream out of the views: what the batch and those before made of it. */
  setAside(stream: StreamName, damage: Omit<SetAside, 'conversationId'>): void;
  /** True if the stream is of a conversation that was set aside. */
  isSetAside(stream: StreamName): boolean;
  /** Writes the rows, inside the caller's transaction. Before that ends, `Projection.moveTo` says how far it goes. */
  write(): void;
  /** To be called once the rows are what others may read: with the commit at the latest. */
  committed(): void;
};

/** Folds appends into rows. The same for a log in the same file and for one that is followed from afar. */
export type Projection = {
  /** Starts a batch; only one at a time. */
  begin(): ProjectionBatch;
  /** Forgets what is kept in memory: after a transaction whose end is not known. */
  forget(): void;
  /** Position up to which the rows show the log, as it was written last. */
  checkpoint(): number;
  /** Writes the checkpoint, inside the caller's transaction. */
  moveTo(checkpoint: number): void;
};
