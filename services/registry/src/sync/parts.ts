import { type Fact, fact } from '@stopgo/core';
import { create, facts } from '@stopgo/proto';
import type { ReadFile } from './read-file.ts';

/** Bytes of files in one event, and of events in one append, about: a bound of the log is 512 KiB. */
const eventBytesMax = 64 * 1_024;
const appendBytesMax = 320 * 1_024;

/** What all events of a sync say. */
export type SyncFrame = { readonly branch: string; readonly commit: string; readonly reader: string };

/** Collects what is to be recorded of a commit in events that fit into appends. */
export class SyncParts {
  readonly #frame: SyncFrame;
  #events: facts.SyncedFile[][] = [];
  #eventBytes = 0;
  #bytes = 0;

  constructor(frame: SyncFrame) {
    this.#frame = frame;
  }

  /** Takes one more file. Gives the events of an append that is full by it; undefined while there is room. */
  add({ path, agent, errors }: ReadFile): readonly Fact[] | undefined {
    const file = create(facts.SyncedFileSchema, {
      path,
      agentName: agent?.name ?? '',
      agentDigest: agent?.digest ?? '',
      description: agent?.description ?? '',
      version: agent?.version ?? '',
      tags: [...(agent?.tags ?? [])],
      errors: errors.map((error) => ({ ...error })),
    });
    const bytes = Buffer.byteLength(JSON.stringify(file));
    if (this.#events.length === 0 || this.#eventBytes + bytes > eventBytesMax) {
      this.#events.push([]);
      this.#eventBytes = 0;
    }
    this.#events.at(-1)?.push(file);
    this.#eventBytes += bytes;
    this.#bytes += bytes;
    return this.#bytes > appendBytesMax ? this.#take(true) : undefined;
  }

  /** The events of the last append: with them the commit counts as synced. */
  end(): readonly Fact[] {
    return this.#take(false);
  }

  #take(continues: boolean): readonly Fact[] {
    const events = this.#events.length === 0 ? [[]] : this.#events;
    this.#events = [];
    this.#eventBytes = 0;
    this.#bytes = 0;
    return events.map((files, index) =>
      fact('repositorySynced', { ...this.#frame, files, continues: continues || index < events.length - 1 }),
    );
  }
}
