import { decodeRecorded, evolvePush, liveConfigs, noPush } from '@stopgo/core';
import { fromBinary, toBinary, views as view } from '@stopgo/proto';
import type { StreamEvent } from './event-log.ts';
import { equal, type Problems } from './problems.ts';
import type { Views } from './views.ts';

/** Folds the events of a push stream anew and compares its row with what comes out. */
export class PushCheck {
  readonly #id: string;
  readonly #views: Views;
  readonly #problems: Problems;
  #push: view.Push;

  constructor(id: string, views: Views, problems: Problems) {
    this.#id = id;
    this.#views = views;
    this.#problems = problems;
    this.#push = noPush(id);
  }

  /** The revision that the row shows now; 0 if there is none, or it cannot be read. */
  get shownRevision(): number {
    const row = this.#views.storedPush(this.#id);
    try {
      return row === undefined ? 0 : fromBinary(view.PushSchema, row.bytes).revision;
    } catch {
      return 0;
    }
  }

  /** Takes the next event. */
  add({ revision, event }: StreamEvent): void {
    try {
      this.#push = evolvePush(this.#push, decodeRecorded(event));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#problems.add(`event ${revision} cannot be folded (${reason})`);
    }
  }

  /** Compares the row, once the last event is taken. */
  compareRest(): void {
    const row = this.#views.storedPush(this.#id);
    if (row === undefined) {
      if (this.#push.revision > 0) this.#problems.add('the view of who is told is missing');
      return;
    }
    const { settledRevision, ownerInstance } = this.#push;
    const columns = [settledRevision, liveConfigs(this.#push).length, ownerInstance];
    const isSame = equal(toBinary(view.PushSchema, this.#push), row.bytes);
    if (!isSame || [row.settledRevision, row.live, row.ownerInstance].some((value, index) => value !== columns[index]))
      this.#problems.add('the view of who is told is not what the events give');
  }
}
