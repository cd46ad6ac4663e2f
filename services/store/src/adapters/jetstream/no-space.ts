import type { Logger } from '@stopgo/runtime';
import { noSpaceForgottenMs, noSpaceTellMs } from '../../bounds.ts';
import type { DiskProblem } from '../../disk-condition.ts';

const noSpaceText =
  'the event log (NATS) has no space left: what it refuses may be recorded or not; give its servers more, and it goes on by itself';

/** Refusals with less than {@link noSpaceForgottenMs} between any two of them. Milliseconds of a clock that only grows. */
type Episode = {
  readonly since: number;
  lastAt: number;
  refused: number;
  /** The smallest that was refused, in bytes. */
  bytes: number;
  isTold: boolean;
};

/**
 * Whether the servers of NATS have space for what they are handed, as far as this replica was told: appends, and what results hold beside
 * text. It is told once a minute, not once for each that is refused, and believed until something is stored that is no smaller than what
 * was refused, or until nobody was refused for a minute: what is owed is tried again more often than that.
 */
export class NoSpace {
  readonly #log: Logger;
  readonly #now: () => number;
  #episode: Episode | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds that only grow. */
  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** What is wrong now; undefined if nothing is known to be. */
  get problem(): DiskProblem | undefined {
    return this.#episode === undefined || this.#isOver(this.#episode)
      ? undefined
      : { reason: 'disk_full', text: noSpaceText };
  }

  /** To be told each time that a message of so many bytes is refused for it. */
  refused(bytes: number): void {
    const now = this.#now();
    // In a minute without refusals nobody tried, and nothing is known of it.
    if (this.#episode === undefined || this.#isOver(this.#episode))
      this.#episode = { since: now, lastAt: now, refused: 0, bytes, isTold: false };
    const episode = this.#episode;
    episode.lastAt = now;
    episode.refused += 1;
    episode.bytes = Math.min(episode.bytes, bytes);
    if (now - this.#toldAt < noSpaceTellMs) return;
    this.#toldAt = now;
    episode.isTold = true;
    // `noSpaceText` as a literal: the test that compares the alarms with their page reads the source.
    this.#log.error(
      'the event log (NATS) has no space left: what it refuses may be recorded or not; give its servers more, and it goes on by itself',
      { refused: episode.refused },
    );
  }

  /** To be told of each message of so many bytes that is stored. A small one may still fit where a large one does not. */
  stored(bytes: number): void {
    const episode = this.#episode;
    if (episode === undefined || bytes < episode.bytes) return;
    this.#episode = undefined;
    const { since, lastAt, refused, isTold } = episode;
    if (!isTold) return;
    // Until the last refusal: after it nobody tried, and it may have had space for long.
    const seconds = Math.round((lastAt - since) / 1_000);
    this.#log.info('the event log (NATS) takes what it is handed again', { seconds, refused });
  }

  #isOver({ lastAt }: Episode): boolean {
    return this.#now() - lastAt > noSpaceForgottenMs;
  }
}
