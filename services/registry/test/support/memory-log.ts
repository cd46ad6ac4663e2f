import type { RecordedFact } from '@stopgo/core';
import {
  type Append,
  type AppendOutcome,
  type ConversationLog,
  type DefinitionPorts,
  recordedOf,
  systemClock,
} from '@stopgo/log';

/** A log in memory that keeps what streams hold, and refuses what rests on an older state. */
export class MemoryLog {
  readonly streams = new Map<string, RecordedFact[]>();
  /** Is called before each append, and may append something itself. */
  before: (append: Append) => void | Promise<void> = () => undefined;
  /** Is called before each read. */
  beforeRead: (stream: string) => void | Promise<void> = () => undefined;
  #ids = 0;
  #wake = new Set<() => void>();

  /** What a service instance appends and reads with. */
  ports(instance: string): DefinitionPorts {
    const log = {
      append: async (append: Append) => {
        await this.before(append);
        return this.append(append);
      },
      read: (stream: string, from: number) => this.#read(stream, from),
      follow: (stream: string, from: number, signal: AbortSignal) => this.#follow(stream, from, signal),
    } as unknown as ConversationLog;
    const newId = () => {
      this.#ids += 1;
      return `id-${this.#ids}`;
    };
    return { instance, log, clock: systemClock, newId, random: () => 0.5 };
  }

  append(append: Append): AppendOutcome {
    const events = this.streams.get(append.stream) ?? [];
    if (events.length !== append.expectedRevision)
      return { kind: 'conflict', currentRevision: events.length, unseen: events.slice(append.expectedRevision) };
    this.streams.set(append.stream, [...events, ...recordedOf(append)]);
    for (const wake of this.#wake) wake();
    return { kind: 'appended', revision: append.expectedRevision + append.facts.length };
  }

  /** Kinds of facts in the one stream whose name begins so. */
  kinds(prefix: string): string[] {
    const [name] = [...this.streams.keys()].filter((stream) => stream.startsWith(prefix));
    return (this.streams.get(name ?? '') ?? []).map(({ fact }) => fact.case);
  }

  async *#read(stream: string, from: number): AsyncGenerator<RecordedFact> {
    await this.beforeRead(stream);
    yield* (this.streams.get(stream) ?? []).slice(from - 1);
  }

  async *#follow(stream: string, from: number, signal: AbortSignal): AsyncGenerator<RecordedFact> {
    for (let next = from; !signal.aborted; ) {
      for (const event of (this.streams.get(stream) ?? []).slice(next - 1)) {
        yield event;
        next += 1;
      }
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          this.#wake.delete(done);
          resolve();
        };
        this.#wake.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }
}
