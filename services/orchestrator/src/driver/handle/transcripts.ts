import { conversationStream, DomainError, type RecordedFact, type Transcript, TranscriptBuilder } from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';

/** Conversations whose transcripts are kept in memory. A lost one is read again from the log. */
export const transcriptsKeptMax = 5_000;
/** Characters of all transcripts kept together; the one in use is kept whatever its size. */
export const transcriptCharactersMax = 32 * 1024 * 1024;

/** Transcripts of the conversations that were driven last, so that a model call needs no read of the log. */
export class Transcripts {
  private readonly kept = new Map<string, TranscriptBuilder>();
  private readonly log: ConversationLog;
  private characters = 0;

  constructor(log: ConversationLog) {
    this.log = log;
  }

  /** Adds events that this process has seen anyway; those that leave a gap are ignored (they are read when needed). */
  add(conversationId: string, events: readonly RecordedFact[]): void {
    const first = events[0];
    if (first === undefined) return;
    const builder = this.kept.get(conversationId) ?? (first.revision === 1 ? this.keep(conversationId) : undefined);
    if (builder === undefined || first.revision > builder.revision + 1) return;
    this.grow(conversationId, builder, events);
    this.forgetOldest();
  }

  /**
   * The transcript up to a revision at least; reads from the log what is missing. Rejects with `unavailable` if a reader
   * that lags behind does not show it yet.
   */
  upTo(conversationId: string, revision: number, signal: AbortSignal): Promise<Transcript> {
    return this.read(conversationId, revision, signal);
  }

  private async read(conversationId: string, revision: number, signal: AbortSignal): Promise<TranscriptBuilder> {
    const builder = this.keep(conversationId);
    if (builder.revision < revision) {
      for await (const event of this.log.read(conversationStream(conversationId), builder.revision + 1, signal))
        this.grow(conversationId, builder, [event]);
      this.forgetOldest();
    }
    // A model that is not told what is on the record would ask for it again.
    if (builder.revision < revision) throw lagging(conversationId, revision);
    return builder;
  }

  /**
   * The arguments of a call, from the event that holds it; undefined if the event does not. What is read for it the model
   * is told afterwards. Rejects with `unavailable` if a reader that lags behind does not show the event yet.
   */
  async argumentsOf(
    conversationId: string,
    revision: number,
    callId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const kept = this.kept.get(conversationId)?.argumentsAt(revision, callId);
    if (kept !== undefined) return kept;
    // It may be forgotten by now: other conversations were read meanwhile.
    const read = await this.read(conversationId, revision, signal);
    return read.argumentsAt(revision, callId);
  }

  /** The conversation's transcript, as the one used last. */
  private keep(conversationId: string): TranscriptBuilder {
    const builder = this.kept.get(conversationId) ?? new TranscriptBuilder();
    this.forget(conversationId);
    this.kept.set(conversationId, builder);
    this.characters += builder.size;
    this.forgetOldest();
    return builder;
  }

  private grow(conversationId: string, builder: TranscriptBuilder, events: readonly RecordedFact[]): void {
    const before = builder.size;
    for (const event of events) builder.add(event);
    // One that was forgotten while it was read is not counted.
    if (this.kept.get(conversationId) === builder) this.characters += builder.size - before;
  }

  private forgetOldest(): void {
    for (const conversationId of this.kept.keys()) {
      if (this.kept.size === 1) return;
      if (this.kept.size <= transcriptsKeptMax && this.characters <= transcriptCharactersMax) return;
      this.forget(conversationId);
    }
  }

  private forget(conversationId: string): void {
    this.characters -= this.kept.get(conversationId)?.size ?? 0;
    this.kept.delete(conversationId);
  }
}

function lagging(conversationId: string, revision: number): DomainError {
  return new DomainError('unavailable', `event ${revision} of conversation ${conversationId} cannot be read yet`);
}
