import { DomainError } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import {
  applyAgainMs,
  feedAgainMs,
  feedStuckMs,
  readWaitMsMax,
  rebuildProgressMs,
  shorterLogMsMax,
} from '../../bounds.ts';
import { sequenceOf } from './batch-message.ts';
import type { Feed } from './feed.ts';
import { noAnswer } from './leader.ts';
import type { Pipeline } from './pipeline.ts';
import { type NotSame, type SameLogParts, sameLog } from './same-log.ts';

export type CatchUpParts = SameLogParts & {
  readonly pipeline: Pipeline;
  readonly feed: Feed;
  readonly log: Logger;
  /** Empties the index and the views; with the sequence at which the log ends. */
  readonly startOver: (last: number) => void;
};

/** Brings this replica to where the log was when somebody asked. */
export class CatchUp {
  readonly #parts: CatchUpParts;
  #comparing = false;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** Resolves once the views show all that the log held at the call, or a position. Throws `unavailable` if it takes long. */
  async caughtUp(signal?: AbortSignal, position?: number): Promise<void> {
    const { pipeline, feed } = this.#parts;
    const wanted = position === undefined ? await this.#last() : sequenceOf(position);
    const { applied } = pipeline;
    if (wanted <= applied) return;
    try {
      await pipeline.reached(wanted, feedStuckMs, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // A message that was acknowledged and does not come: whatever holds it up, it is asked for anew. A replica that is
      // far behind and gets on is left alone.
      if (pipeline.applied === applied) feed.stuck();
      await pipeline.reached(wanted, readWaitMsMax - feedStuckMs, signal);
    }
  }

  /** Follows the log from now on; resolves once the views show all that it holds now. */
  async follow(signal?: AbortSignal): Promise<void> {
    const { leader, pipeline, feed, log, startOver } = this.#parts;
    const found = await this.#patient(() => sameLog(this.#parts), signal);
    if (found.kind !== 'same') {
      this.#tell(found);
      startOver(found.last);
    }
    const last = await this.#patient(() => leader.lastSequence(), signal);
    const from = pipeline.applied;
    feed.start();
    if (from >= last) return;
    log.info('making the views from the event log', { from, to: last });
    while (pipeline.applied < last) {
      try {
        await pipeline.reached(last, rebuildProgressMs, signal);
      } catch (error) {
        if (pipeline.isClosed || signal?.aborted === true) throw error;
        log.info('making the views from the event log', { at: pipeline.applied, to: last });
      }
    }
    log.info('the views are made', { sequence: pipeline.applied });
  }

  /**
   * To be called when the server that answers may have another log than before: makes the views anew if so. Takes until the
   * server says; calls meanwhile change nothing. Never rejects.
   */
  async compare(): Promise<void> {
    if (this.#comparing) return;
    this.#comparing = true;
    try {
      const since = performance.now();
      let found = await this.#patient(() => sameLog(this.#parts));
      // A server of a cluster that was left behind and does not know it yet says so too.
      while (found.kind === 'shorter' && performance.now() - since < shorterLogMsMax) {
        await pause(feedAgainMs);
        found = await this.#patient(() => sameLog(this.#parts));
      }
      if (found.kind === 'same') return;
      this.#tell(found);
      await this.#emptied(found.last);
      this.#parts.feed.again();
    } catch {
      // Closed meanwhile.
    } finally {
      this.#comparing = false;
    }
  }

  /** Empties the index and the views, however often a file that fails has to be asked. */
  async #emptied(last: number): Promise<void> {
    const { pipeline, log, startOver } = this.#parts;
    for (let told = false; !pipeline.isClosed; told = true) {
      try {
        startOver(last);
        return;
      } catch (error) {
        if (!told) log.error('the views could not be emptied; tried again', { error });
        await pause(applyAgainMs);
      }
    }
  }

  #tell({ kind, shown, last }: NotSame): void {
    const { log } = this.#parts;
    const ends = { shown, last };
    if (kind === 'other')
      log.error('the event log is not the one that the views were made of; they are made anew', ends);
    else
      log.error('the event log has lost events; verify it and restore it from a backup. The views are made anew', ends);
  }

  async #last(): Promise<number> {
    const { leader, pipeline } = this.#parts;
    const { applied } = pipeline;
    const last = await leader.lastSequence();
    if (last >= applied) return last;
    // A server that was left behind and does not know it yet, or a log that was replaced under us: no answer is right.
    void this.compare();
    throw noAnswer();
  }

  async #patient<T>(question: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      if (this.#parts.pipeline.isClosed || signal?.aborted === true) throw noAnswer();
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
        await pause(feedAgainMs);
      }
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
