// Whether the disk of the log takes what it is handed.
//
// 1. Whatever fails while the disk is full fails in the same way: it is told once a minute, not once for each append.
// 2. It is looked after by itself. A small append may still fit where a large one does not, so that neither a success nor a failure
//    says that all is well again: there must be room for the largest append and for what was refused, and something must have been
//    written.
import { DomainError } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { diskProbeMs, diskRoomBytes, diskTellMs } from './bounds.ts';

/** Why appends fail: by the word that callers find in the details of an error (`reason`), and in words. */
export type DiskProblem = { readonly reason: DiskReason; readonly text: string };

export type DiskReason = 'disk_full' | 'disk_fails' | 'file_gone';

export const diskTexts: Readonly<Record<DiskReason, string>> = {
  disk_full:
    'the disk of the event log is full: nothing is recorded until there is space; free some, and it goes on by itself',
  disk_fails:
    'the disk of the event log cannot be written: nothing is acknowledged until it can; mend it, and it goes on by itself',
  file_gone:
    'the file of the event log is not where it was: nothing is recorded; put it back, and it goes on by itself, or stop the platform and restore a backup',
};

export type DiskConditionParts = {
  /** Names the disk in lines of the log. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Writes something small, as an append is written; throws if it cannot. */
  readonly write: () => void;
  /** Bytes that are free on the disk; throws if nobody can tell. */
  readonly freeBytes: () => number;
};

/** What is known of the disk of one log. */
export class DiskCondition {
  readonly #parts: DiskConditionParts;
  #reason: DiskReason | undefined;
  #since = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #refused = 0;
  #roomBytes = diskRoomBytes;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DiskConditionParts) {
    this.#parts = parts;
  }

  /** What is wrong now; undefined if nothing is known to be. */
  get problem(): DiskProblem | undefined {
    return this.#reason === undefined ? undefined : { reason: this.#reason, text: diskTexts[this.#reason] };
  }

  /**
   * To be told of a commit that failed: of how many appends, or of a blob of so many bytes. False if the disk is not to blame: then it says nothing.
   */
  failed(error: unknown, writes: number, blobBytes = 0): boolean {
    const reason = diskReasonOf(error);
    if (reason === undefined) return false;
    if (this.#reason === undefined) this.#since = this.#parts.now();
    this.#reason = reason;
    this.#refused += writes;
    // Once in SQLite's log and once in the file itself.
    this.#roomBytes = Math.max(this.#roomBytes, diskRoomBytes + 2 * blobBytes);
    this.#tell(error);
    this.#timer ??= setInterval(() => this.look(), diskProbeMs).unref();
    return true;
  }

  /** Looks whether it is well again; by itself every few seconds while it is not. */
  look(): void {
    if (this.#reason === undefined) return;
    try {
      if (this.#reason === 'disk_full' && !this.#hasRoom()) {
        this.#tell(undefined);
        return;
      }
      this.#parts.write();
    } catch (error) {
      this.#reason = diskReasonOf(error) ?? this.#reason;
      this.#tell(error);
      return;
    }
    const { log, now, dataDir } = this.#parts;
    log.info('the disk of the event log takes what it is handed again', {
      dataDir,
      seconds: Math.round((now() - this.#since) / 1_000),
      refused: this.#refused,
    });
    this.#reason = undefined;
    this.#refused = 0;
    this.#roomBytes = diskRoomBytes;
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.close();
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #hasRoom(): boolean {
    try {
      return this.#parts.freeBytes() >= this.#roomBytes;
    } catch {
      // Then only a write can tell.
      return true;
    }
  }

  #tell(error: unknown): void {
    const { log, now, dataDir } = this.#parts;
    if (this.#reason === undefined || now() - this.#toldAt < diskTellMs) return;
    this.#toldAt = now();
    const code = error === undefined ? undefined : codeOf(error);
    const fields = { dataDir, refused: this.#refused, ...(code === undefined ? {} : { code }) };
    if (this.#reason === 'disk_full')
      log.error(
        'the disk of the event log is full: nothing is recorded until there is space; free some, and it goes on by itself',
        fields,
      );
    else if (this.#reason === 'file_gone')
      log.error(
        'the file of the event log is not where it was: nothing is recorded; put it back, and it goes on by itself, or stop the platform and restore a backup',
        fields,
      );
    else
      log.error(
        'the disk of the event log cannot be written: nothing is acknowledged until it can; mend it, and it goes on by itself',
        fields,
      );
  }
}

/** What the database calls it. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}

/** The reason in an error that says that the disk is to blame. */
export function diskReasonOf(error: unknown): DiskReason | undefined {
  const reason = error instanceof DomainError ? error.details.reason : undefined;
  return reason !== undefined && reason in diskTexts ? (reason as DiskReason) : undefined;
}
