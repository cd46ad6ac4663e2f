import type { Asking, Connection } from './connection.ts';
import { parseExact } from './exact-json.ts';
import { type FollowOptions, follow } from './follow.ts';
import type { Approval, ApprovalEvent, Streams } from './gen/description.ts';
import { type AnswerOf, type BodyOf, call, everyItem, pathOf, type QueryOf } from './operations.ts';

/** What the event stream of approvals tells: from where to go on after it, and what became of an approval, if it tells that. */
export type ApprovalNews = { readonly place: string; readonly change?: ApprovalEvent };

/** What narrows the event stream of approvals. */
export type ApprovalFilter = Omit<NonNullable<Streams['GET /approvals/events']['query']>, 'after'>;

export type Decision = NonNullable<BodyOf<'POST /approvals/{uuid}'>>;
export type ManyDecisions = BodyOf<'POST /approvals/decide'>;

/** Approvals of a platform, over all conversations. */
export class Approvals {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** A page of them, the oldest first. It may be short, or empty: go on until `next_cursor` is absent. */
  list(query: QueryOf<'GET /approvals'> = {}, asking: Asking = {}): Promise<AnswerOf<'GET /approvals'>> {
    return call(this.#connection, 'GET /approvals', { ...asking, query });
  }

  /** All that the query gives, page after page. */
  all(query: QueryOf<'GET /approvals'> = {}, asking: Asking = {}): AsyncGenerator<Approval, void, undefined> {
    const page = (cursor: object) => this.list({ ...query, ...cursor }, asking);
    return everyItem(page, ({ approvals }) => approvals);
  }

  async get(uuid: string, asking: Asking = {}): Promise<Approval> {
    return (await call(this.#connection, 'GET /approvals/{uuid}', { ...asking, path: { uuid } })).approval;
  }

  /** How many wait. */
  async counts(asking: Asking = {}): Promise<AnswerOf<'GET /approvals/counts'>['counts']> {
    return (await call(this.#connection, 'GET /approvals/counts', asking)).counts;
  }

  /**
   * Decides, and has the run go on; the answer comes as that to a message does.
   *
   * @throws ApiError 409 if somebody, or the time, was first: its body says who and when.
   */
  decide(uuid: string, decision: Decision, asking: Asking = {}): Promise<AnswerOf<'POST /approvals/{uuid}'>> {
    return call(this.#connection, 'POST /approvals/{uuid}', { ...asking, path: { uuid }, body: decision });
  }

  /** Says yes. With `arguments` the call is asked for anew with these, which this is a yes to. */
  approve(uuid: string, more: Omit<Decision, 'approved' | 'action' | 'answer'> = {}, asking: Asking = {}) {
    return this.decide(uuid, { ...more, action: 'approve' }, asking);
  }

  /** Says no. A model is told the `reason`, and goes on. */
  reject(uuid: string, more: Pick<Decision, 'reason' | 'by'> = {}, asking: Asking = {}) {
    return this.decide(uuid, { ...more, action: 'reject' }, asking);
  }

  /** Decides on up to 100, each on its own, and waits for no run. */
  async decideMany(decisions: ManyDecisions['decisions'], more: Pick<ManyDecisions, 'by'> = {}, asking: Asking = {}) {
    const input = { ...asking, body: { decisions, ...more } };
    return (await call(this.#connection, 'POST /approvals/decide', input)).results;
  }

  /** Says who is to look at it: `me`, an e-mail address, or a name where nobody signs in. */
  async assign(uuid: string, to: string, asking: Asking = {}): Promise<Approval> {
    const input = { ...asking, path: { uuid }, body: { to } };
    return (await call(this.#connection, 'POST /approvals/{uuid}/assign', input)).approval;
  }

  /** Nobody in particular is to look at it. */
  async unassign(uuid: string, asking: Asking = {}): Promise<Approval> {
    const input = { ...asking, path: { uuid }, body: {} };
    return (await call(this.#connection, 'POST /approvals/{uuid}/unassign', input)).approval;
  }

  /**
   * What becomes of approvals, each change once and in order: after the place `after`, or from now on. The first news has a place alone: who
   * then lists what waits misses nothing in between. It connects again by itself, and ends when the signal aborts.
   *
   * @throws ApiError if it is refused for good.
   */
  async *events(
    filter: ApprovalFilter = {},
    { after, onState, ...options }: FollowOptions & { readonly after?: string } = {},
  ): AsyncGenerator<ApprovalNews, void, undefined> {
    const path = pathOf('/approvals/events', {}, filter);
    // One event of the log may change several approvals. All but the last of them are told at the place before, so that none is lost where
    // the connection breaks off between them: they are told again then.
    let place = after;
    let told = new Set<string>();
    let toldBefore = new Set<string>();
    const followed = {
      ...options,
      lastId: after,
      onState: (state: Parameters<NonNullable<typeof onState>>[0], why?: unknown) => {
        if (state === 'open') [toldBefore, told] = [new Set([...toldBefore, ...told]), new Set()];
        onState?.(state, why);
      },
    };
    for await (const { id, data } of follow(this.#connection, path, followed)) {
      const change = data === undefined ? undefined : (parseExact(data) as ApprovalEvent);
      const name = change === undefined ? '' : `${change.change} ${change.approval.uuid}`;
      const hasMoved = id !== undefined && id !== place;
      const isNews = change === undefined ? hasMoved : !toldBefore.has(name);
      if (hasMoved) {
        place = id;
        [told, toldBefore] = [new Set(), new Set()];
      } else told.add(name);
      if (isNews && place !== undefined) yield change === undefined ? { place } : { place, change };
    }
  }
}
