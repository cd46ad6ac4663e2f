import { type ConsumerMessages, DeliverPolicy, type JetStreamClient } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { DomainError } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import {
  feedAgainMs,
  feedHeartbeatMs,
  feedHeartbeatsMissedMax,
  feedKeptMs,
  feedMessagesMax,
  feedStuckMs,
} from '../../bounds.ts';
import type { NatsLink } from '../nats/link.ts';
import { allSubjects } from './batch-message.ts';
import type { Leader } from './leader.ts';
import type { Pipeline } from './pipeline.ts';

export type FeedParts = {
  readonly client: JetStreamClient;
  readonly streamName: string;
  readonly leader: Leader;
  readonly link: Pick<NatsLink, 'ask' | 'onBack'>;
  readonly pipeline: Pipeline;
  readonly log: Logger;
};

/**
 * Brings the messages of the log to the pipeline, from the first that it has not applied: no gap, in order. Whatever ends
 * it (a lost connection, a server that forgot it, a gap), it begins again from there.
 */
export class Feed {
  readonly #parts: FeedParts;
  #messages: ConsumerMessages | undefined;
  #wake: () => void = () => undefined;
  #closed = false;
  /** True if it is to begin again without a pause. */
  #atOnce = false;
  #beganAt = 0;
  /** Why it ended last, until it runs again. */
  #told = '';
  #notBack: () => void = () => undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#notBack = this.#parts.link.onBack(() => this.again());
    void this.#run();
  }

  /** Begins again: what was lost on the way is brought once more. */
  again(): void {
    this.#atOnce = true;
    this.#messages?.stop();
    this.#messages = undefined;
    this.#wake();
  }

  /** The same, unless it has just begun: however many wait for a message, it is asked for anew once. */
  stuck(): void {
    if (performance.now() - this.#beganAt >= feedStuckMs) this.again();
  }

  /** Brings nothing more. */
  close(): void {
    this.#closed = true;
    this.#notBack();
    this.again();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#atOnce = false;
      try {
        await this.#bring();
      } catch (error) {
        this.#tell(error);
      }
      if (this.#closed) return;
      if (this.#atOnce) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, feedAgainMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** An outage is told by the connection; whatever else it is, once and not at each try. */
  #tell(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const isOutage = error instanceof DomainError && error.kind === 'unavailable';
    if (this.#closed || isOutage || reason === this.#told) return;
    this.#told = reason;
    this.#parts.log.warn('the feed of the event log ended; it begins again', { error });
  }

  async #bring(): Promise<void> {
    const { client, streamName, link, pipeline } = this.#parts;
    let next = pipeline.applied + 1;
    this.#beganAt = performance.now();
    const consumer = await link.ask(() =>
      client.consumers.get(streamName, {
        filter_subjects: allSubjects,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: next,
        inactive_threshold: nanos(feedKeptMs),
      }),
    );
    const messages = await consumer.consume({ max_messages: feedMessagesMax, idle_heartbeat: feedHeartbeatMs });
    this.#messages = messages;
    this.#told = '';
    void this.#watch(messages);
    try {
      // Told so while it began: from where it was to begin is no longer sure.
      if (this.#atOnce) return;
      for await (const { subject, seq, data } of messages) {
        // What is left of a feed that was to begin again may be of a log that is gone.
        if (this.#closed || this.#messages !== messages) return;
        if (seq < next) continue;
        if (seq > next) await this.#fill(next, seq - 1);
        next = seq + 1;
        await pipeline.received({ subject, sequence: seq, data });
      }
    } finally {
      if (this.#messages === messages) this.#messages = undefined;
      messages.stop();
      // The server forgets it by itself later; a server that is gone has forgotten it.
      void consumer.delete().catch(() => undefined);
    }
  }

  /** A feed that stays silent is begun again: the client of NATS mends it at once, or may take half a minute for that. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      if (this.#messages !== messages) return;
      if (status.type === 'heartbeats_missed' && status.count >= feedHeartbeatsMissedMax) this.again();
    }
  }

  /** Asks for the messages that were passed over: whatever is not there now never will be. */
  async #fill(from: number, upTo: number): Promise<void> {
    const { leader, pipeline } = this.#parts;
    let next = from;
    while (next <= upTo) {
      const message = await leader.message(next);
      if (message !== undefined) await pipeline.received(message);
      else {
        const first = await leader.firstSequence();
        const last = first > next ? Math.min(upTo, first - 1) : next;
        pipeline.lost(next, last);
        next = last;
      }
      next++;
    }
  }
}
