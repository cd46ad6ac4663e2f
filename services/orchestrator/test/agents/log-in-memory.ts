import {
  bareView,
  conversationOfStream,
  conversationStream,
  fold,
  initialState,
  notFound,
  type RecordedFact,
} from '@stopgo/core';
import {
  type Append,
  type AppendOutcome,
  type ConversationLog,
  type KnownKey,
  type Loaded,
  recordedOf,
} from '@stopgo/log';

/** A log of any streams, as far as taking messages needs one. */
export class LogInMemory implements ConversationLog {
  readonly streams = new Map<string, RecordedFact[]>();
  /** How many appends were made. */
  appends = 0;
  readonly #keys = new Map<string, KnownKey>();

  async append(append: Append): Promise<AppendOutcome> {
    const { stream, key, expectedRevision, facts, requestDigest = '' } = append;
    const events = this.streams.get(stream) ?? [];
    const known = this.#keys.get(`${stream} ${key}`);
    if (known !== undefined)
      return { kind: 'duplicate', revision: known.lastRevision, requestDigest: known.requestDigest };
    if (events.length !== expectedRevision)
      return { kind: 'conflict', currentRevision: events.length, unseen: events.slice(expectedRevision) };
    this.appends += 1;
    const all = [...events, ...recordedOf(append)];
    this.streams.set(stream, all);
    const [firstRevision, lastRevision] = [events.length + 1, events.length + facts.length];
    this.#keys.set(`${stream} ${key}`, { key, requestDigest, firstRevision, lastRevision });
    const view = bareView(fold({ ...initialState, id: conversationOfStream(stream) ?? '' }, all));
    return { kind: 'appended', revision: lastRevision, view };
  }

  async load(conversationId: string, keys: readonly string[] = []): Promise<Loaded> {
    const events = this.of(conversationId);
    if (events.length === 0) throw notFound(`conversation not found: ${conversationId}`);
    const stream = conversationStream(conversationId);
    const knownKeys = keys.flatMap((key) => this.#keys.get(`${stream} ${key}`) ?? []);
    return { conversationId, state: fold(initialState, events), knownKeys };
  }

  async *read(stream: string, from: number, _?: AbortSignal, through?: number): AsyncGenerator<RecordedFact> {
    yield* (this.streams.get(stream) ?? []).slice(from - 1, through);
  }

  async *follow(): AsyncGenerator<never> {}

  async openRuns(): Promise<readonly never[]> {
    return [];
  }

  async watchedRuns(): Promise<readonly never[]> {
    return [];
  }

  async view(conversationId: string) {
    return bareView((await this.load(conversationId)).state);
  }

  /** The events of a conversation. */
  of(conversationId: string): readonly RecordedFact[] {
    return this.streams.get(conversationStream(conversationId)) ?? [];
  }
}
