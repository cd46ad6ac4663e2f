import { isRepeatable } from '@stopgo/core';
import type { Ask } from '../questions/call-scope.ts';
import { dismissed } from '../questions/open-questions.ts';
import type { CallEnd } from '../results/call-end.ts';
import type { Session } from '../session/session.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import { untilAborted } from '../unless-aborted.ts';
import { AnswerWait } from './answer-wait.ts';
import type { Call, ExecutorDependencies } from './call.ts';
import { CallStanding } from './call-standing.ts';

/**
 * The times that one attempt is sent, which is more than once if its call is safe to repeat or did not arrive: what time they have
 * together, and what the server asks in their midst.
 */
export class Sends {
  readonly #call: Call;
  readonly #clock: () => number;
  readonly #clean: (text: string) => string;
  readonly #answers: AnswerWait;
  readonly #standing: CallStanding;
  readonly #outOfTouch = new AbortController();
  /** Its time runs from the first time that it is sent: what it waited for before does not count. */
  #sentAt: number | undefined;
  #progressAt = 0;
  /** As it was when it was sent: whatever its server says of the tool meanwhile, or no longer says, the call is on record as fenced. */
  #fenced = false;

  /** `clean`: takes credentials out of a text. */
  constructor(
    call: Call,
    { bounds, clock, standing }: Pick<ExecutorDependencies, 'bounds' | 'clock' | 'standing'>,
    clean: (text: string) => string,
  ) {
    const { request, server, watch } = call;
    this.#call = call;
    this.#clock = clock;
    this.#clean = clean;
    this.#standing = new CallStanding(standing, request.instance, watch.questions);
    this.#answers = new AnswerWait(server, watch, {
      ...{ bounds, clock, clean },
      put: (question, until, over) => (this.#fenced ? this.#standing : watch.questions).ask(question, until, over),
    });
  }

  /** What the call may still take, in milliseconds; it is over at 0. */
  get timeLeft(): number {
    const { timeoutMs, totalTimeoutMs } = this.#call.server.config;
    const now = this.#clock();
    const first = this.#sentAt ?? now;
    const inAll = first + totalTimeoutMs + this.#answers.tookMs;
    return Math.min(inAll, Math.max(first, this.#progressAt, this.#answers.until) + timeoutMs) - now;
  }

  /** True if the server was told no more, as this bridge may have been taken for dead while it asked something. */
  get leftAlone(): boolean {
    return this.#outOfTouch.signal.aborted && !this.#call.watch.signal.aborted;
  }

  /** To be called right before it is sent, so that its time runs. */
  begin(tool: CatalogueTool): void {
    this.#sentAt ??= this.#clock();
    this.#fenced = !isRepeatable(tool.hints);
  }

  /** It did not arrive: its time has not begun. */
  didNotArrive(): void {
    this.#sentAt = undefined;
  }

  /** Sends it, within the time that is left. */
  send(session: Session, tool: CatalogueTool): Promise<CallEnd> {
    const { server, arguments: args, token, watch } = this.#call;
    const { timeoutMs, totalTimeoutMs, questions, sampling } = server.config;
    const now = this.#clock();
    return session.call({
      tool,
      arguments: args,
      token,
      signal: AbortSignal.any([watch.signal, this.#outOfTouch.signal]),
      timeoutMs: Math.min(timeoutMs, this.timeLeft),
      totalTimeoutMs: (this.#sentAt ?? now) + totalTimeoutMs + this.#answers.tookMs - now,
      ...(questions === undefined && sampling === undefined ? {} : { ask: this.#ask }),
      onProgress: (progress) => {
        this.#progressAt = this.#clock();
        watch.onProgress({ ...progress, message: this.#clean(progress.message ?? '') });
      },
    });
  }

  /** With an answer the call goes on, or is sent once more: by then, too, others may have taken this bridge for dead. */
  readonly #ask: Ask = async (question, over) => {
    const said = await this.#answers.ask(question, over);
    if (over.aborted || !this.#fenced || this.#standing.isGiven(said) || (await this.#standing.mayGoOn(over)))
      return said;
    this.#outOfTouch.abort();
    await untilAborted(over);
    return dismissed;
  };
}
