import { DomainError, dataLoss } from '@stopgo/core';
import { readsAtOnceMax, recentAppendsMax, recentBytesMax } from '../../bounds.ts';
import { LruMap } from '../../lru-map.ts';
import { decodeAppend, type LoggedAppend } from './batch-message.ts';
import type { Leader } from './leader.ts';

type Source = Pick<Leader, 'message' | 'anyMessage'>;

/** Appends by the sequence of their message, which never change: those used last are kept. */
export class Messages {
  readonly #leader: Source;
  readonly #recent = new LruMap<number, LoggedAppend>({ entriesMax: recentAppendsMax, bytesMax: recentBytesMax });

  constructor(leader: Source) {
    this.#leader = leader;
  }

  /** Keeps an append that was just seen. */
  remember(append: LoggedAppend): void {
    this.#recent.set(append.sequence, append, append.bytes);
  }

  forget(): void {
    this.#recent.clear();
  }

  /**
   * The appends of some messages, in their order. Throws `data_loss` for one that is not there or cannot be read,
   * `unavailable` while the server does not answer.
   */
  async get(sequences: readonly number[]): Promise<LoggedAppend[]> {
    const found: LoggedAppend[] = [];
    for (let from = 0; from < sequences.length; from += readsAtOnceMax) {
      const some = sequences.slice(from, from + readsAtOnceMax);
      const here = some.map((sequence) => this.#recent.get(sequence));
      // Nothing is awaited where nothing has to be fetched.
      if (here.every((append) => append !== undefined)) found.push(...here);
      else found.push(...(await Promise.all(some.map((sequence, index) => here[index] ?? this.#fetch(sequence)))));
    }
    return found;
  }

  /** The same without those that are not there or cannot be read. */
  async readable(sequences: readonly number[]): Promise<LoggedAppend[]> {
    const one = async (sequence: number) => {
      try {
        return await this.get([sequence]);
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'data_loss') return [];
        throw error;
      }
    };
    return (await Promise.all(sequences.map(one))).flat();
  }

  async #fetch(sequence: number): Promise<LoggedAppend> {
    const message = (await this.#leader.anyMessage(sequence)) ?? (await this.#leader.message(sequence));
    if (message === undefined)
      throw dataLoss(`message ${sequence} of the event log is gone; restore the log from a backup`);
    try {
      const append = decodeAppend(message.subject, sequence, message.data);
      this.remember(append);
      return append;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw dataLoss(`message ${sequence} of the event log cannot be read (${reason})`, {}, { cause });
    }
  }
}
