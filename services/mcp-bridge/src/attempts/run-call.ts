import { type BlobRef, isRepeatable } from '@stopgo/core';
import { shownProblem } from '@stopgo/json-schema';
import type { store } from '@stopgo/proto';
import { tokensHidden } from '../credentials/bearer.ts';
import { type CallEnd, type FailureKind, failed, type LostCause } from '../results/call-end.ts';
import type { Down, Ready } from '../servers/server-connection.ts';
import type { Session } from '../session/session.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import { type Call, credentialsOf, type ExecutorDependencies, listFreshMsOf, noKey, toolOf } from './call.ts';
import { mayAct } from './call-standing.ts';
import { gateWithTicket } from './gate.ts';
import { answered, type Outcome } from './outcome.ts';
import type { Checked, Preparation } from './preparation.ts';
import {
  canceledInTime,
  inDoubt,
  refusalOf,
  takenForDead,
  toolNotFound,
  unauthenticated,
  unavailable,
} from './refusals.ts';
import { Sends } from './sends.ts';
import { untilBack } from './until-back.ts';

/** Times that a tool may be another one by the time that the arguments have been checked. */
const changesMax = 3;

/** What a round came to: how the call ended, or its server, as it is then, for another round. */
type Round =
  | { readonly kind: 'over'; readonly outcome: Outcome }
  | { readonly kind: 'again'; readonly available: Ready | Down };

type Placed = { readonly kind: 'session'; readonly session: Session };

type Cleared = { readonly kind: 'cleared'; readonly tool: CatalogueTool };

type Ended<Kind extends CallEnd['kind']> = Extract<CallEnd, { kind: Kind }>;

/**
 * Makes a call whose turn has come, as often as it may have to be sent. `exchanged` is called once its server has answered: then the
 * next call may have its turn.
 */
export function runCall(
  call: Call,
  dependencies: ExecutorDependencies,
  preparation: Preparation,
  exchanged: () => void,
): Promise<Outcome> {
  return new CallRun(call, dependencies, preparation, exchanged).outcome();
}

/** One call whose turn has come: rounds of looking at everything anew and sending it, until one says how it ended. */
class CallRun {
  readonly #call: Call;
  readonly #dependencies: ExecutorDependencies;
  readonly #preparation: Preparation;
  readonly #exchanged: () => void;
  readonly #sends: Sends;
  readonly #began: number;
  /** Takes credentials out of a text. */
  readonly #clean: (text: string) => string;
  /** How old the list of tools may be, in milliseconds. */
  readonly #freshMs: number;
  #previous: Session | undefined;
  /** Nothing had been sent, so that all could be looked at again: once after a wait for its server, once for a call that did not arrive. */
  #waited = false;
  #unsent = false;
  #renewed = false;
  #changes = 0;
  #repeats = 0;
  /** Tokens of a connected account that were at hand for this call. */
  #accountTokens: readonly string[] = [];
  #hasAsked = false;
  /** Once a repeatable call has been sent, nothing but a result says how it ended. */
  #lost: { readonly text: string; readonly failure: FailureKind } | undefined;

  constructor(call: Call, dependencies: ExecutorDependencies, preparation: Preparation, exchanged: () => void) {
    const { bounds, clock, secrets } = dependencies;
    const { server } = call;
    this.#call = call;
    this.#dependencies = dependencies;
    this.#preparation = preparation;
    this.#exchanged = exchanged;
    this.#began = clock();
    this.#clean = (text) =>
      secrets.hide(tokensHidden(call.token, ...this.#accountTokens)(server.clean(text, undefined)));
    this.#freshMs = listFreshMsOf(call, bounds);
    this.#sends = new Sends(call, dependencies, this.#clean);
  }

  async outcome(): Promise<Outcome> {
    const { server, watch } = this.#call;
    let available = await server.current(watch.signal, this.#freshMs);
    for (;;) {
      const round = await this.#round(available);
      if (round.kind === 'over') return round.outcome;
      available = round.available;
    }
  }

  async #round(available: Ready | Down): Promise<Round> {
    const { request, server, watch } = this.#call;
    const { signal } = watch;
    if (available.kind === 'down') return this.#waitFor(available);
    // First, as they may take a while: nothing slow stands between the look at the record and the call.
    const token = await this.#accountToken();
    if (token !== undefined) return token;
    const placed = await this.#place(available.session);
    if (placed.kind !== 'session') return placed;
    const checked = await this.#preparation.checked();
    const look = await this.#preparation.look();
    if (signal.aborted) return this.#end(canceledInTime());
    if (look.kind === 'refused') return this.#end(look.outcome);
    // What was told of its tools meanwhile comes first.
    if (look.kind === 'looked_up' && server.listing.reading !== undefined) return again(await server.current(signal));
    // Whoever took this bridge for dead has put the call in doubt, and somebody may have decided on it, or made it elsewhere.
    // Then it must not run here, however late this process finds out. Looked at again after each wait.
    if (this.#isFenced() && !(await mayAct(this.#dependencies.standing, request.instance, signal)))
      return this.#end(takenForDead());
    // From here on nothing is waited for, until it is sent.
    const cleared = this.#clear(available, checked, look.ticket);
    if (cleared.kind !== 'cleared') return cleared;
    return this.#after(placed.session, cleared.tool, await this.#sends.send(placed.session, cleared.tool));
  }

  /** Once, for a server that is away for a moment. */
  async #waitFor(down: Down): Promise<Round> {
    if (this.#waited || this.#lost !== undefined) return this.#end(unavailable(down));
    this.#waited = true;
    return again(await this.#untilBack(this.#dependencies.bounds.callWaitMs));
  }

  /** Has the token of its user's account at hand, where the server wants one; what becomes of the call if it cannot be had. */
  async #accountToken(refused?: string): Promise<Round | undefined> {
    const { request, server } = this.#call;
    if (!server.usesAccounts || (this.#hasAsked && refused === undefined)) return undefined;
    const { accounts } = this.#dependencies;
    this.#hasAsked = true;
    const { user } = request;
    const token = await (refused === undefined
      ? accounts.token(user, server.config.name)
      : accounts.renewed(user, server.config.name, refused)
    ).catch(() => ({ kind: 'away', reason: 'the event log does not answer' }) as const);
    if (token.kind === 'away') return this.#end(unavailable(token));
    // Without one some may answer as well.
    this.#call.token = token.kind === 'token' ? token.text : undefined;
    if (token.kind === 'token') this.#accountTokens = [...this.#accountTokens, token.text];
    return undefined;
  }

  /** The server refused the token that it was shown, and so the call did not run: once more with another one, if there is any. */
  async #afterRefusal(): Promise<Round> {
    const { request, server, token, watch } = this.#call;
    if (server.usesAccounts && token !== undefined && this.#accountTokens.length === 1) {
      const ended = await this.#accountToken(token);
      if (ended !== undefined) return ended;
      if (this.#call.token !== undefined && this.#call.token !== token)
        return again(await server.current(watch.signal));
    }
    server.unauthenticated();
    return over(unauthenticated(request, server.usesAccounts));
  }

  /** The session that the call is to be made in. */
  async #place(shared: Session): Promise<Placed | Round> {
    const { request, server, token } = this.#call;
    const place = await server.sessionFor(shared, token);
    if (place.kind === 'unauthenticated')
      return this.#lost === undefined ? this.#afterRefusal() : this.#end(unauthenticated(request, server.usesAccounts));
    if (place.kind === 'refused') return this.#end(unavailable(place));
    const { session } = place;
    // One of its caller's own may have taken so long to open that the list is old again.
    if (session !== shared && session !== this.#previous) server.listing.refreshIfStale(this.#freshMs);
    this.#previous = session;
    return place;
  }

  /** The last word, with the tool as it is now. */
  #clear(available: Ready, checked: Checked, ticket: store.Ticket | undefined): Cleared | Round {
    const { request, server, watch } = this.#call;
    const tool = toolOf(this.#call, this.#dependencies);
    if (tool === undefined) return this.#end(toolNotFound(request));
    // It may have run already, when it was safe to repeat; a server that is another by now does not make it run twice.
    if (this.#lost !== undefined && !isRepeatable(tool.hints))
      return over(inDoubt(this.#lost.text, this.#lost.failure));
    const refusal = refusalOf(tool, gateWithTicket(tool, credentialsOf(request), ticket));
    if (refusal !== undefined) return this.#end(refusal);
    if (tool.pin !== checked.tool?.pin) {
      this.#changes += 1;
      if (this.#changes <= changesMax) return again(available);
      return this.#end(unavailable({ reason: `the server "${request.server}" keeps changing` }));
    }
    if (checked.mismatch !== undefined) {
      const words = `the arguments are not what the tool takes: ${shownProblem(this.#clean(checked.mismatch))}`;
      return this.#end(answered(failed(words, 'invalid_arguments'), 0, undefined));
    }
    if (watch.signal.aborted) return this.#end(canceledInTime());
    this.#sends.begin(tool);
    if (this.#sends.timeLeft <= 0)
      return this.#end(unavailable({ reason: `the server "${server.config.name}" took too long to come back` }));
    return { kind: 'cleared', tool };
  }

  /** What the end of one sending means for the call. */
  async #after(session: Session, tool: CatalogueTool, sent: CallEnd): Promise<Round> {
    const { server } = this.#call;
    switch (sent.kind) {
      case 'answered':
        // A change of the list that was told meanwhile was left until now.
        server.listing.refreshIfStale();
        this.#exchanged();
        return over(await this.#kept(sent));
      case 'unauthenticated':
        return this.#afterRefusal();
      case 'not_sent':
        return this.#afterUnsent(session, sent);
      case 'session_gone':
        return this.#afterSessionGone(session, tool, sent);
      case 'lost':
        return this.#afterLost(session, tool, sent);
    }
  }

  /**
   * The answer, once what it holds beside text is kept: an event is to name nothing that could be lost. Who cancels the call, or stops the
   * bridge, does not wait for the store: the call ran.
   */
  async #kept(sent: Ended<'answered'>): Promise<Outcome> {
    const { request, token, watch } = this.#call;
    const { blobs, clock } = this.#dependencies;
    const durationMs = clock() - this.#began;
    const { attachments = [] } = sent.result;
    if (attachments.length === 0) return answered(sent, durationMs, token);
    const kept: readonly BlobRef[] = await blobs.keep(attachments, request.key ?? noKey, this.#clean, watch.signal);
    return answered(sent, durationMs, token, kept);
  }

  async #afterUnsent(session: Session, { reason }: Ended<'not_sent'>): Promise<Round> {
    const { server, watch } = this.#call;
    server.happened(session, { type: 'lost', reason });
    if (this.#waited || this.#unsent || this.#lost !== undefined)
      return this.#end(unavailable({ reason: `the server "${server.config.name}" is down: ${reason}` }));
    this.#unsent = true;
    this.#sends.didNotArrive();
    return again(await server.current(watch.signal));
  }

  async #afterSessionGone(session: Session, tool: CatalogueTool, sent: Ended<'session_gone'>): Promise<Round> {
    const { server, watch } = this.#call;
    const { name } = server.config;
    if (!sent.certain) {
      this.#lost = { text: this.#clean(`the server "${name}" ${sent.reason}`), failure: 'server_lost' };
      if (!isRepeatable(tool.hints)) {
        server.happened(session, { type: 'lost', reason: 'it seems to have ended the session' });
        return over(inDoubt(this.#lost.text, this.#lost.failure));
      }
    }
    if (this.#renewed) return this.#end(unavailable({ reason: `the server "${name}" does not keep its sessions` }));
    this.#renewed = true;
    return again(await server.renew(session, watch.signal));
  }

  /** Nobody can tell whether it ran: one that is safe to repeat is sent again, as long as it may be. */
  async #afterLost(session: Session, tool: CatalogueTool, sent: Ended<'lost'>): Promise<Round> {
    const { server } = this.#call;
    const { bounds } = this.#dependencies;
    const why = this.#sends.leftAlone
      ? 'asked people something, and was told no more: the bridge may have been taken for dead meanwhile'
      : sent.reason;
    const text = this.#clean(`the server "${server.config.name}" ${why}`);
    const failure = failureOf(sent.cause);
    const reason = this.#clean(sent.reason);
    if (sent.cause === 'connection') server.happened(session, { type: 'lost', reason });
    if (sent.cause === 'timeout') server.happened(session, { type: 'doubted', reason: `a call ${reason}` });
    if (!isRepeatable(tool.hints)) return over(inDoubt(text, failure));
    this.#lost = { text, failure };
    this.#repeats += 1;
    const isOver = sent.cause === 'timeout' || sent.cause === 'canceled' || this.#sends.timeLeft <= 0;
    if (isOver || this.#repeats > bounds.repeatsMax) return this.#end(unavailable({ reason: text }));
    return again(await this.#untilBack(Math.min(bounds.repeatWaitMs, this.#sends.timeLeft)));
  }

  #untilBack(ms: number): Promise<Ready | Down> {
    const { request, server, watch } = this.#call;
    return untilBack(server, request, this.#dependencies, ms, watch.signal);
  }

  #isFenced(): boolean {
    const tool = toolOf(this.#call, this.#dependencies);
    return tool !== undefined && !isRepeatable(tool.hints);
  }

  /** It is not sent (again): that is how it ended, unless it had been sent before. */
  #end(otherwise: Outcome): Round {
    if (this.#lost === undefined) return over(otherwise);
    const durationMs = this.#dependencies.clock() - this.#began;
    return over(answered(failed(this.#lost.text, this.#lost.failure), durationMs, this.#call.token));
  }
}

function over(outcome: Outcome): Round {
  return { kind: 'over', outcome };
}

function again(available: Ready | Down): Round {
  return { kind: 'again', available };
}

function failureOf(cause: LostCause): FailureKind {
  return cause === 'timeout' || cause === 'canceled' ? cause : 'server_lost';
}
