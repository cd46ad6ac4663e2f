import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { credentials } from '../decide/gateway.ts';
import { GatewayError, mediaTypeOf, notPlatform, reasonOf, refusalOf, unanswered } from '../decide/gateway-error.ts';
import type { Patience } from './patience.ts';
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
  readonly #url: URL;
  readonly #listener: Listener;
  readonly #patience: Patience;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  #revision: number;
  #failure: Error | undefined;

  /** Follows from the event after `revision` on. `patience`: with a stream that breaks off without a new event. */
  constructor(url: string, conversation: string, revision: number, listener: Listener, patience: Patience) {
    this.#url = new URL(`/conversations/${encodeURIComponent(conversation)}/events`, url);
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
    const { triesMax, pauseMs } = this.#patience;
    let tries = 0;
    while (!signal.aborted) {
      const before = this.#revision;
      let problem: unknown = new Error('the connection was closed');
      try {
        await this.#connect();
      } catch (error) {
        problem = error;
      }
      if (signal.aborted) return;
      tries = this.#revision > before ? 0 : tries + 1;
      const isFinal = problem instanceof GatewayError && !problem.mayPass;
      if (isFinal || tries > triesMax) {
        this.#failure = new Error(`the events of the conversation cannot be had: ${reasonOf(problem)}`);
        this.#wake();
        return;
      }
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stop;
    const url = new URL(this.#url);
    url.searchParams.set('from', String(this.#revision + 1));
    const response = await fetch(url, { signal, headers: credentials() }).catch((error: unknown) => {
      throw unanswered(url.origin, error);
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw refusalOf(response);
    }
    const type = mediaTypeOf(response);
    if (type !== 'text/event-stream') {
      await response.body.cancel();
      throw notPlatform(url.origin, `${type} instead of events`, '');
    }
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of events) {
      if (signal.aborted) return;
      if (event === 'delta') this.#listener.delta(JSON.parse(data) as Delta);
      else this.#tell(JSON.parse(data) as SentEvent);
    }
  }

  #tell(event: SentEvent): void {
    if (event.revision <= this.#revision) return;
    this.#listener.event(event);
    this.#revision = event.revision;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
