import { STATUS_CODES } from 'node:http';
import { ApiError, mayPass, reasonOf } from '@stopgo/client';
import { messageOf } from '@stopgo/runtime';
import { platformAt } from '../decide/gateway.ts';
import { GatewayError, gatewayErrorOf, refusalOf } from '../decide/gateway-error.ts';
import { type Patience, retriesOf } from './patience.ts';
import type { Delta } from './speech.ts';

/** A durable event as the gateway sends it. */
export type SentEvent = {
  readonly revision: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
};

export type Listener = { readonly event: (event: SentEvent) => void; readonly delta: (delta: Delta) => void };

/** The events of a conversation, each told once and in order, over as many connections as it takes. */
export class Followed {
  readonly #url: string;
  readonly #conversation: string;
  readonly #listener: Listener;
  readonly #patience: Patience;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  #revision: number;
  #failure: Error | undefined;

  /** Follows from the event after `revision` on. `patience`: with a stream that breaks off without a new event. */
  constructor(url: string, conversation: string, revision: number, listener: Listener, patience: Patience) {
    this.#url = url;
    this.#conversation = conversation;
    this.#revision = revision;
    this.#listener = listener;
    this.#patience = patience;
    void this.#run();
  }

  /** The last event that was told. */
  get revision(): number {
    return this.#revision;
  }

  /** Resolves once the event with this revision was told. Rejects if the events cannot be had. */
  async until(revision: number): Promise<void> {
    while (this.#revision < revision) await this.next();
  }

  /** Resolves at the next event. Rejects as `until`. */
  async next(): Promise<void> {
    if (this.#failure === undefined) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    if (this.#failure !== undefined) throw this.#failure;
  }

  end(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let tries = 0;
    let before = this.#revision;
    const isWorthIt = (problem: unknown): boolean => {
      tries = this.#revision > before ? 0 : tries + 1;
      before = this.#revision;
      return tries <= this.#patience.triesMax && mayPass(problem);
    };
    const { conversations } = platformAt(this.#url, retriesOf(this.#patience));
    const options = { after: this.#revision, signal, mayPass: isWorthIt };
    try {
      for await (const news of conversations.events(this.#conversation, options)) {
        if (signal.aborted) return;
        if (news.kind === 'delta') this.#listener.delta(news.delta);
        else this.#tell(news.event);
      }
    } catch (problem) {
      if (signal.aborted) return;
      this.#failure = new Error(`the events of the conversation cannot be had: ${wordsOf(this.#url, problem)}`);
      this.#wake();
    }
  }

  #tell(event: SentEvent): void {
    this.#listener.event(event);
    this.#revision = event.revision;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Why a stream does not go on. */
function wordsOf(url: string, problem: unknown): string {
  if (problem instanceof ApiError) {
    const { status, body } = problem;
    return refusalOf({ status, message: `${status} ${STATUS_CODES[status] ?? ''}`, body }).message;
  }
  const error = gatewayErrorOf(url, problem, undefined, 'events');
  // It was there, and broke off.
  if (error instanceof GatewayError && error.outcome === 'unknown' && error.mayPass) return reasonOf(problem);
  return messageOf(error);
}
