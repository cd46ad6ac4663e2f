import type { StreamName } from '@stopgo/core';
import { hotHeadsMax } from '../../bounds.ts';
import { LruMap } from '../../lru-map.ts';
import type { HeadRow, LogTables } from './log-tables.ts';

/** The ends of streams and of the log, kept in memory: this process alone moves them. */
export class StreamHeads {
  readonly #tables: LogTables;
  readonly #hot = new LruMap<StreamName, HeadRow>({ entriesMax: hotHeadsMax });
  #lastPosition: number;
  #lastStreamId: number;

  constructor(tables: LogTables) {
    this.#tables = tables;
    this.#lastPosition = tables.lastPosition();
    this.#lastStreamId = tables.lastStreamId();
  }

  /** Position of the last event that is committed. */
  get lastPosition(): number {
    return this.#lastPosition;
  }

  get lastStreamId(): number {
    return this.#lastStreamId;
  }

  /** The end of a stream; undefined if there is none. */
  get(stream: StreamName): HeadRow | undefined {
    const hot = this.#hot.get(stream);
    if (hot !== undefined) return hot;
    const head = this.#tables.head(stream);
    if (head !== undefined) this.#hot.set(stream, head);
    return head;
  }

  /** To be told what a commit moved. */
  moved(heads: Iterable<readonly [StreamName, HeadRow]>, lastPosition: number, lastStreamId: number): void {
    for (const [stream, head] of heads) this.#hot.set(stream, head);
    this.#lastPosition = lastPosition;
    this.#lastStreamId = lastStreamId;
  }

  /** Reads everything anew: after a commit whose end is not known. */
  forget(): void {
    this.#hot.clear();
    this.#lastPosition = this.#tables.lastPosition();
    this.#lastStreamId = this.#tables.lastStreamId();
  }
}
