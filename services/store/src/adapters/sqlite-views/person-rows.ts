import { personRow, type RecordedFact, type StreamName } from '@stopgo/core';
import type { ViewTables } from './view-tables.ts';

type Planned = { readonly key: number; row: ReturnType<typeof personRow> };

/** What a batch makes of the streams of people. */
export class PersonRows {
  readonly #tables: ViewTables;
  readonly #planned = new Map<StreamName, Planned>();

  constructor(tables: ViewTables) {
    this.#tables = tables;
  }

  /** Adds the events of one append. `appendKey`: the place of the append in the log, the row's key if it is the first. */
  add(stream: StreamName, events: readonly RecordedFact[], appendKey: number): void {
    const planned = this.#planned.get(stream);
    const stored = planned === undefined ? this.#tables.person(stream) : undefined;
    const key = planned?.key ?? stored?.key ?? appendKey;
    this.#planned.set(stream, { key, row: personRow(stream, planned?.row.bytes ?? stored?.bytes, events) });
  }

  /** Writes the rows. */
  write(): void {
    for (const [stream, { key, row }] of this.#planned)
      this.#tables.writePerson(key, stream, row.kind, row.ofUser, row.bytes);
  }
}
