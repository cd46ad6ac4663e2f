import { type ConversationState, initialState, type ProjectedRows, project, type RecordedFact } from '@stopgo/core';
import type { views } from '@stopgo/proto';

/** The views of one conversation, kept in memory. */
export class Rows {
  state: ConversationState = initialState;
  head: views.ConversationHead | undefined;
  readonly messages: views.Message[] = [];
  readonly approvals = new Map<string, views.Approval>();

  /** Projects one append. */
  add(events: readonly RecordedFact[]): ProjectedRows {
    const rows = project(this.state, events, {
      messagesAt: (revision) => this.messages.filter((one) => one.revision === revision),
      approval: (id) => this.approvals.get(id),
    });
    this.state = rows.state;
    this.head = rows.head;
    this.messages.push(...rows.messages);
    for (const approval of rows.approvals) this.approvals.set(approval.id, approval);
    return rows;
  }
}
