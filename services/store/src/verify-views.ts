import { type DescMessage, type Message, toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  askingsOf,
  asksSince,
  assigneeOf,
  type ConversationState,
  canonicalJson,
  contextOf,
  decodeRecorded,
  encodeSnapshot,
  hasWork,
  initialState,
  isAskedOfAll,
  type Json,
  nextDue,
  overdueFrom,
  parkedTasks,
  parseJson,
  principalOf,
  project,
  standingOf,
  webhooksNamedBy,
} from '@stopgo/core';
import { facts, fromBinary, toBinary, views as view } from '@stopgo/proto';
import { pageMessagesMax } from './bounds.ts';
import type { StreamEvent } from './event-log.ts';
import { equal, type Problems } from './problems.ts';
import type { StoredConversation, Views } from './views.ts';

/** Longest value of a field that a problem quotes, in characters. */
const quotedCharactersMax = 80;

/** Folds the events of a conversation anew and compares each row of its views with what comes out. */
export class ViewCheck {
  readonly #id: string;
  readonly #views: Views;
  readonly #problems: Problems;
  #state: ConversationState = initialState;
  #head: view.ConversationHead | undefined;
  /** Not compared yet. */
  #messages: view.Message[] = [];
  readonly #approvals = new Map<string, view.Approval>();
  /** As they were named first, by digest. */
  readonly #blobs = new Map<string, facts.BlobRef>();
  /** Of the first and the last event that names webhooks; 0: none does. */
  #named = { from: 0, through: 0 };
  /** True once an event could not be folded: what follows from it cannot be told. */
  #lost = false;

  constructor(id: string, views: Views, problems: Problems) {
    this.#id = id;
    this.#views = views;
    this.#problems = problems;
  }

  /** The revision that the views show now; 0 if they do not show the conversation. */
  get shownRevision(): number {
    return this.#views.stored(this.#id)?.revision ?? 0;
  }

  /** Takes the next event. */
  add({ revision, event }: StreamEvent): void {
    if (this.#lost) return;
    try {
      const recorded = decodeRecorded(event);
      if (webhooksNamedBy(recorded.fact).length > 0)
        this.#named = { from: this.#named.from || revision, through: revision };
      const rows = project(this.#state, [recorded], {
        // Rows that were compared before; a wrong one is a problem already.
        messagesAt: (at) => [
          ...this.#messages.filter((message) => message.revision === at),
          ...(this.#messages.some((message) => message.revision === at)
            ? []
            : this.#views.storedMessagesAt(this.#id, at)),
        ],
        approval: (id) => this.#approvals.get(id),
      });
      this.#state = rows.state;
      this.#head = rows.head;
      this.#messages.push(...rows.messages);
      for (const approval of rows.approvals) this.#approvals.set(approval.id, approval);
      for (const blob of rows.messages.flatMap(({ toolCall }) => toolCall?.blobs ?? []))
        if (!this.#blobs.has(blob.digest)) this.#blobs.set(blob.digest, blob);
    } catch (error) {
      this.#lost = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#problems.add(`event ${revision} cannot be folded (${reason}); the views are not compared`);
    }
  }

  /** Compares the messages so far, so that they need not be kept. */
  compareMessages(): void {
    if (this.#lost) return;
    for (let first = this.#messages[0]; first !== undefined; first = this.#messages[0]) {
      const expected = this.#messages.splice(0, pageMessagesMax);
      const stored = this.#views.storedMessages(this.#id, first.sequence - 1, expected.length);
      const bytesOf = new Map(stored.map((row) => [row.key, row.bytes]));
      for (const message of expected)
        this.#compare(view.MessageSchema, `message ${message.sequence}`, message, bytesOf.get(message.sequence));
    }
  }

  /** Compares all the rest, once the last event is taken. */
  compareRest(): void {
    if (this.#lost) return;
    this.compareMessages();
    const stored = this.#views.stored(this.#id);
    if (this.#head === undefined) {
      if (stored !== undefined) this.#problems.add('there is a view, but no event');
      return;
    }
    if (stored === undefined) {
      this.#problems.add('the view of the conversation is missing');
      return;
    }
    this.#compare(view.ConversationHeadSchema, 'head', this.#head, stored.head);
    this.#compareColumns(stored);
    this.#compareSnapshot(stored);
    if (this.#views.storedMessages(this.#id, this.#state.messageCount, 1).length > 0)
      this.#problems.add(`there are messages after the last one, ${this.#state.messageCount}`);
    this.#compareApprovals();
    this.#compareBlobs();
    const { namedFrom = 0, namedThrough = 0 } = this.#views.push(this.#id) ?? {};
    if (namedFrom !== this.#named.from || namedThrough !== this.#named.through)
      this.#problems.add('the view of the webhooks that are to be told is not what the events give');
  }

  #compareColumns(stored: StoredConversation): void {
    const { run, revision } = this.#state;
    const open = run !== null && run.status === 'open' && (run.owner !== null || hasWork(run)) ? run : undefined;
    const owner = open?.owner ?? undefined;
    const due = nextDue(run);
    const expected = {
      revision,
      status: this.#head?.status ?? 0,
      'open run': open?.id ?? '',
      'watched run': parkedTasks(this.#state)[0]?.runId ?? '',
      due: due === undefined ? ' ' : `${run?.id} ${due}`,
      'owner of the open run': owner === undefined ? '' : `${owner.instance} ${owner.epoch}`,
      context: contextOf(this.#state),
      principal: principalOf(this.#state),
      standing: this.#head === undefined ? 0 : standingOf(this.#head),
      'last change': Math.floor(this.#state.updatedAt),
      asking: `${this.#head?.pendingInputs.length ?? 0} ${(this.#head && asksSince(this.#head)) ?? ''}`,
    };
    const found = {
      revision: stored.revision,
      status: stored.status,
      'open run': stored.openRun?.runId ?? '',
      'watched run': stored.watchedRun?.runId ?? '',
      due: `${stored.dueRun?.runId ?? ''} ${stored.dueRun?.dueAt ?? ''}`,
      'owner of the open run':
        stored.openRun?.owner === undefined ? '' : `${stored.openRun.owner.instance} ${stored.openRun.owner.epoch}`,
      context: stored.belongs.contextId,
      principal: stored.belongs.principal,
      standing: stored.belongs.standing,
      'last change': stored.belongs.changedAt,
      asking: `${stored.asking.number} ${stored.asking.since ?? ''}`,
    };
    this.#compareFields('the list', expected, found);
  }

  #compareSnapshot({ snapshot }: StoredConversation): void {
    const found = parseJson(new TextDecoder().decode(snapshot));
    const expected = parseJson(new TextDecoder().decode(encodeSnapshot(this.#state)));
    if (isObject(found) && isObject(expected)) this.#compareFields('snapshot', expected, found);
    else this.#problems.add('snapshot: is no JSON object');
  }

  #compareApprovals(): void {
    const stored = new Map(this.#views.storedApprovals(this.#id).map((row) => [row.key, row]));
    for (const [id, approval] of this.#approvals) {
      const row = stored.get(id);
      this.#compare(view.ApprovalSchema, `approval ${id}`, approval, row?.bytes);
      if (row !== undefined)
        this.#compareFields(
          `approval ${id} in the list`,
          {
            status: approval.status,
            'asked in run': approval.byPolicy ? '' : approval.runId,
            principal: principalOf(this.#state),
            ...{ tool: approval.tool, server: approval.server, node: approval.node },
            'requested at': approval.requestedAt === undefined ? 0 : timestampMs(approval.requestedAt),
            'asked of all': isAskedOfAll(approval),
            'overdue from': overdueFrom(approval) ?? '',
            assignee: assigneeOf(approval),
            agent: this.#state.agentName,
            askings: sortedText(
              isWaiting(approval) && !isAskedOfAll(approval) ? askingsOf(approval, principalOf(this.#state)) : [],
            ),
          },
          {
            ...{ status: row.status, 'asked in run': row.askedInRun, principal: row.principal },
            ...{ tool: row.tool, server: row.server, node: row.node, 'requested at': row.requestedAt },
            'asked of all': row.isAskedOfAll,
            'overdue from': row.overdueFrom ?? '',
            assignee: row.assignee,
            agent: row.agent,
            askings: sortedText(row.askings),
          },
        );
      stored.delete(id);
    }
    for (const id of stored.keys()) this.#problems.add(`approval ${id}: there is a row, but no event`);
  }

  #compareBlobs(): void {
    const stored = new Map<string, Uint8Array>();
    for (let after = ''; ; ) {
      const page = this.#views.storedBlobNames(this.#id, after, pageMessagesMax);
      for (const { key, bytes } of page) stored.set(key, bytes);
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.key;
    }
    for (const [digest, blob] of this.#blobs) {
      this.#compare(facts.BlobRefSchema, `the name of blob ${digest}`, blob, stored.get(digest));
      stored.delete(digest);
    }
    for (const digest of stored.keys())
      this.#problems.add(`blob ${digest}: there is a row that names it, but no event`);
  }

  #compare(schema: DescMessage, what: string, expected: Message, stored: Uint8Array | undefined): void {
    if (stored === undefined) this.#problems.add(`${what}: the row is missing`);
    else if (!equal(toBinary(schema, expected), stored)) {
      const found = jsonOf(schema, stored);
      if (found === undefined) this.#problems.add(`${what}: the row's bytes cannot be read`);
      else this.#compareFields(what, toJson(schema, expected) as Fields, found);
    }
  }

  #compareFields(what: string, expected: Fields, found: Fields): void {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const [right, wrong] = [quote(expected[name]), quote(found[name])];
      if (canonical(expected[name]) !== canonical(found[name]))
        this.#problems.add(`${what}: ${name} is ${wrong}, the events give ${right}`);
    }
  }
}

type Fields = { readonly [name: string]: Json };

function jsonOf(schema: DescMessage, bytes: Uint8Array): Fields | undefined {
  try {
    return toJson(schema, fromBinary(schema, bytes)) as Fields;
  } catch {
    return undefined;
  }
}

const isObject = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const canonical = (value: Json | undefined): string => (value === undefined ? '' : canonicalJson(value));

function quote(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax)}…`;
}

const isWaiting = ({ status }: view.Approval): boolean => status === view.ApprovalStatus.PENDING;

/** What an approval is found by, in an order of its own. */
const sortedText = (askings: ReturnType<typeof askingsOf>): string =>
  JSON.stringify([...askings].sort((a, b) => (a.asked < b.asked ? -1 : 1)));
