import { decodeRecorded, personRow, type StreamName } from '@stopgo/core';
import type { StreamEvent } from './event-log.ts';
import { equal, type Problems } from './problems.ts';
import type { Views } from './views.ts';

/** Folds the events of a stream of people anew and compares its row with what comes out. */
export class PersonCheck {
  readonly #stream: StreamName;
  readonly #views: Views;
  readonly #problems: Problems;
  #row: ReturnType<typeof personRow> | undefined;

  constructor(stream: StreamName, views: Views, problems: Problems) {
    this.#stream = stream;
    this.#views = views;
    this.#problems = problems;
  }

  /** The revision that the row shows now; 0 if there is none, or it cannot be read. */
  get shownRevision(): number {
    try {
      return personRow(this.#stream, this.#views.storedPerson(this.#stream)?.bytes, []).revision;
    } catch {
      return 0;
    }
  }

  /** Takes the next event. */
  add({ revision, event }: StreamEvent): void {
    try {
      this.#row = personRow(this.#stream, this.#row?.bytes, [decodeRecorded(event)]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#problems.add(`event ${revision} cannot be folded (${reason})`);
    }
  }

  /** Compares the row, once the last event is taken. */
  compareRest(): void {
    const [stored, made] = [this.#views.storedPerson(this.#stream), this.#row];
    if (made === undefined) return;
    if (stored === undefined) {
      this.#problems.add('its view is missing');
      return;
    }
    if (!equal(made.bytes, stored.bytes) || made.kind !== stored.kind || made.ofUser !== stored.ofUser)
      this.#problems.add('its view is not what the events give');
  }
}
