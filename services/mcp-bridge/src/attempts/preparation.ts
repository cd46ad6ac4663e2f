// What has to be known before a call is sent, and takes time to find out:
//
// 1. While the call waits for its turn, it is found out early, beside the call that has its turn: the slot of a server is for the exchange.
// 2. Nothing that was found out early decides anything by itself. At its turn all is asked for again, and only what cannot have changed,
//    or is young enough, is taken over.
// 3. A server that takes one call at a time is asked nothing in the midst of one: its list, and sessions with it, wait for the turn.
import { mcp, type store } from '@stopgo/proto';
import { reasonOf } from '../failures.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import { type Call, credentialsOf, type ExecutorDependencies, listFreshMsOf, noKey, toolOf } from './call.ts';
import { gate, needsTicket } from './gate.ts';
import { type Outcome, refused } from './outcome.ts';

/** What the record holds of a call. */
export type Look =
  | { readonly kind: 'not_needed'; readonly ticket: undefined }
  | { readonly kind: 'looked_up'; readonly ticket: store.Ticket | undefined }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** A tool, and what is wrong with the arguments by its definition; undefined if nothing. */
export type Checked = { readonly tool: CatalogueTool | undefined; readonly mismatch: string | undefined };

/** What has to be known of one call before it is sent. */
export class Preparation {
  readonly #call: Call;
  readonly #dependencies: ExecutorDependencies;
  #check: { readonly pin: string; readonly mismatch: ReturnType<CatalogueTool['inputCheck']> } | undefined;
  /** The look that was begun before the turn came, and when. */
  #early: { readonly at: number; readonly look: Promise<Look> } | undefined;

  constructor(call: Call, dependencies: ExecutorDependencies) {
    this.#call = call;
    this.#dependencies = dependencies;
  }

  /** Begins to find all out, for a call that has to wait for its turn. What fails is tried again at the turn, where it counts. */
  begin(): void {
    const { tickets, clock } = this.#dependencies;
    const early: Promise<unknown>[] = [this.checked(), this.#listed()];
    // Where a look may not be old at all there is no use in an early one.
    if (tickets.freshMs > 0) {
      const look = this.#ask();
      this.#early = { at: clock(), look };
      early.push(look);
    }
    for (const one of early) one.catch(() => undefined);
  }

  /** Whether the arguments are what the tool takes as it is defined now. It may wait for a thread. */
  async checked(): Promise<Checked> {
    const tool = toolOf(this.#call, this.#dependencies);
    if (tool === undefined) return { tool, mismatch: undefined };
    const { pin } = tool;
    const known = this.#check?.pin === pin ? this.#check : { pin, mismatch: tool.inputCheck(this.#call.arguments) };
    this.#check = known;
    return { tool, mismatch: await known.mismatch };
  }

  /**
   * What the stream of its conversation holds of the call, if it is to be asked: by the early look if that was begun shortly
   * before, else by a new one. It is not for what is refused anyway.
   */
  look(): Promise<Look> {
    const { tickets, clock } = this.#dependencies;
    const early = this.#early;
    this.#early = undefined;
    return early !== undefined && clock() - early.at < tickets.freshMs ? early.look.then(this.#again) : this.#ask();
  }

  /** That nothing had to be looked up was said of the tool as it was; and a log that was away may be back. */
  readonly #again = (look: Look): Look | Promise<Look> => (look.kind === 'looked_up' ? look : this.#ask());

  /** The list as the call needs it. No session of its caller's own: those are few, and belong to the calls whose turn has come. */
  async #listed(): Promise<void> {
    const { server, watch } = this.#call;
    if (server.config.callsAtOnce === 1) return;
    await server.current(watch.signal, listFreshMsOf(this.#call, this.#dependencies.bounds));
  }

  async #ask(): Promise<Look> {
    const { request, watch } = this.#call;
    const tool = toolOf(this.#call, this.#dependencies);
    const credentials = credentialsOf(request);
    if (tool === undefined || gate(tool, credentials).kind !== 'open' || !needsTicket(tool, credentials))
      return { kind: 'not_needed', ticket: undefined };
    try {
      const ticket = await this.#dependencies.tickets.ticket(request.key ?? noKey, watch.signal);
      return { kind: 'looked_up', ticket };
    } catch (error) {
      const message = `the log could not be asked whether the call may run (${reasonOf(error)}); it was not sent`;
      return { kind: 'refused', outcome: refused(mcp.RefusedReason.RECORD_UNAVAILABLE, message) };
    }
  }
}
