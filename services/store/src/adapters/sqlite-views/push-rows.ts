import { evolvePush, liveConfigs, noPush, type RecordedFact, webhooksNamedBy } from '@stopgo/core';
import { fromBinary, toBinary, views } from '@stopgo/proto';
import type { ViewTables } from './view-tables.ts';

type Planned = { readonly key: number; push: views.Push };

/**
 * What a batch makes of push streams. Nothing in them harms a conversation, and none of their events is refused: one that does
 * not fit changes nothing but the revision.
 */
export class PushRows {
  readonly #tables: ViewTables;
  readonly #planned = new Map<string, Planned>();
  readonly #named = new Map<string, { readonly key: number; readonly from: number; through: number }>();

  constructor(tables: ViewTables) {
    this.#tables = tables;
  }

  /** Adds the events of one append. `appendKey`: the place of the append in the log, the row's key if it is the first. */
  add(conversationId: string, events: readonly RecordedFact[], appendKey: number): void {
    const planned = this.#planned.get(conversationId) ?? this.#stored(conversationId);
    const target = planned ?? { key: appendKey, push: noPush(conversationId) };
    for (const event of events) target.push = evolvePush(target.push, event);
    this.#planned.set(conversationId, target);
  }

  /** Notes that the webhooks are to be told that an event of a conversation names, if it names any. */
  addNaming(conversationId: string, events: readonly RecordedFact[], appendKey: number): void {
    for (const { fact, revision } of events) {
      if (webhooksNamedBy(fact).length === 0) continue;
      const known = this.#named.get(conversationId);
      if (known === undefined) this.#named.set(conversationId, { key: appendKey, from: revision, through: revision });
      else known.through = revision;
    }
  }

  /** Writes the rows, after those of the conversations. */
  write(): void {
    for (const [id, { key, push }] of this.#planned) {
      const live = liveConfigs(push).length;
      const owner = push.ownerInstance || null;
      const bytes = toBinary(views.PushSchema, push);
      this.#tables.writePush(key, id, push.settledRevision, live, owner, id, push.revision, bytes);
    }
    for (const [id, { key, from, through }] of this.#named)
      this.#tables.nameWebhooks(key, id, id, toBinary(views.PushSchema, noPush(id)), from, through);
  }

  #stored(conversationId: string): Planned | undefined {
    const row = this.#tables.push(conversationId);
    return row === undefined ? undefined : { key: row.key, push: fromBinary(views.PushSchema, row.bytes) };
  }
}
