import {
  type ConversationState,
  DomainError,
  decodeRecorded,
  initialState,
  invalidArgument,
  project,
} from '@stopgo/core';
import { create, views } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import { pastBytesMax } from './bounds.ts';
import type { GatewayClients } from './options.ts';
import { recordedEvents } from './recorded-events.ts';

/** A conversation as it stood, with its messages until then. */
export type PastConversation = { readonly view: views.ConversationView; readonly messages: readonly views.Message[] };

/**
 * A conversation as it stood at a revision: what its events until then are folded to, with the code that makes the views of today.
 * `headRevision`: its last revision.
 *
 * @throws DomainError `invalid_argument` if it has no such revision; `failed_precondition` if its events until then are larger than
 *   `pastBytesMax`.
 */
export async function pastConversation(
  store: GatewayClients['store'],
  { id, revision, headRevision }: { readonly id: string; readonly revision: number; readonly headRevision: number },
  options: { readonly context: OutgoingContext; readonly signal: AbortSignal },
): Promise<PastConversation> {
  if (revision > headRevision)
    throw invalidArgument(
      `"revision" ${revision} is beyond the last event of this conversation, which is ${headRevision}`,
    );
  const past = new Past();
  let bytes = 0;
  for await (const page of recordedEvents(store, { id, from: 1, to: revision }, options)) {
    for (const { envelope } of page) bytes += envelope.byteLength;
    if (bytes > pastBytesMax) throw tooLong(id, revision);
    past.add(page.map(decodeRecorded));
  }
  if (past.revision !== revision)
    throw new DomainError('data_loss', `the events of conversation ${id} end at ${past.revision}, not at ${revision}`);
  return past.view();
}

const tooLong = (id: string, revision: number): DomainError =>
  new DomainError(
    'failed_precondition',
    `the ${revision} events are larger than ${pastBytesMax / 1024 / 1024} MiB, which is the most that is folded here; \`stopgo replay ${id} --at ${revision}\` shows it`,
  );

/** The rows of one conversation, as the views of a store hold them. */
class Past {
  #state: ConversationState = initialState;
  #head: views.ConversationHead | undefined;
  readonly #messages = new Map<number, views.Message[]>();
  readonly #approvals = new Map<string, views.Approval>();

  get revision(): number {
    return this.#state.revision;
  }

  add(events: readonly ReturnType<typeof decodeRecorded>[]): void {
    const rows = project(this.#state, events, {
      messagesAt: (revision) => this.#messages.get(revision) ?? [],
      approval: (id) => this.#approvals.get(id),
    });
    this.#state = rows.state;
    this.#head = rows.head;
    for (const message of rows.messages) {
      const others = this.#messages.get(message.revision);
      if (others === undefined) this.#messages.set(message.revision, [message]);
      else others.push(message);
    }
    for (const approval of rows.approvals) this.#approvals.set(approval.id, approval);
  }

  view(): PastConversation {
    const pendingApprovals = (this.#head?.pendingApprovalIds ?? []).flatMap((id) => this.#approvals.get(id) ?? []);
    const head = this.#head;
    const view = create(views.ConversationViewSchema, { ...(head === undefined ? {} : { head }), pendingApprovals });
    return { view, messages: [...this.#messages.values()].flat() };
  }
}
