import { DomainError } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { feedAgainMs, feedStuckMs, readWaitMsMax, rebuildProgressMs } from '../../bounds.ts';
import { sequenceOf } from './batch-message.ts';
import type { Feed } from './feed.ts';
import { type Leader, noAnswer } from './leader.ts';
import type { Pipeline } from './pipeline.ts';

export type CatchUpParts = {
  readonly leader: Leader;
  readonly pipeline: Pipeline;
  readonly feed: Feed;
  readonly log: Logger;
  /** Empties the index and the views. */
  readonly startOver: () => void;
};

/** Brings this replica to where the log was when somebody asked. */
export class CatchUp {
  readonly #parts: CatchUpParts;
  #shortened = false;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** Resolves once the views show all that the log held at the call, or a position. Throws `unavailable` if it takes long. */
  async caughtUp(signal?: AbortSignal, position?: number): Promise<void> {
    const { pipeline, feed } = this.#parts;
    const wanted = position === undefined ? await this.#last() : sequenceOf(position);
    if (wanted <= pipeline.applied) return;
    try {
      await pipeline.reached(wanted, feedStuckMs, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // A message that was acknowledged and does not come: whatever holds it up, it is asked for anew.
      feed.again();
      await pipeline.reached(wanted, readWaitMsMax - feedStuckMs, signal);
    }
  }

  /** Follows the log from now on; resolves once the views show all that it holds now. */
  async follow(signal?: AbortSignal): Promise<void> {
    const { pipeline, feed, log, startOver } = this.#parts;
    const last = await this.#patientLast(signal);
    if (last < pipeline.applied) {
      log.error('the event log has lost events; verify it and restore it from a backup. The views are made anew', {
        shown: pipeline.applied,
        last,
      });
      startOver();
      pipeline.rewound();
    }
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

  async #last(): Promise<number> {
    const { leader, pipeline, log } = this.#parts;
    const { applied } = pipeline;
    const last = await leader.lastSequence();
    if (last >= applied) {
      this.#shortened = false;
      return last;
    }
    // A server that was left behind and does not know it yet, or a log that was replaced under us: no answer is right.
    if (!this.#shortened)
      log.error('the event log ends before what was read from it; if that lasts, restore it from a backup', {
        shown: applied,
        last,
      });
    this.#shortened = true;
    throw noAnswer();
  }

  async #patientLast(signal: AbortSignal | undefined): Promise<number> {
    const { leader, pipeline } = this.#parts;
    for (;;) {
      if (pipeline.isClosed || signal?.aborted === true) throw noAnswer();
      try {
        return await leader.lastSequence();
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
        await new Promise((resolve) => setTimeout(resolve, feedAgainMs));
      }
    }
  }
}
