import type { Clock } from '@stopgo/log';
import type { BoundedFetch } from '../bounded-fetch.ts';
import { cardsKeptMax, cardTtlMs, countedMax } from './bounds.ts';
import { admitted, afterFailure, type Breaker, trusted } from './circuit-breaker.ts';
import { discover } from './discovery.ts';
import type { Endpoint } from './endpoint.ts';
import { Kept } from './kept.ts';

/** What this process knows of agents by their addresses: how to talk to them, for a while, and how often they failed. */
export class KnownAgents {
  readonly #fetch: BoundedFetch;
  readonly #clock: Clock;
  readonly #endpoints = new Kept<{ readonly endpoint: Endpoint; readonly until: number }>(cardsKeptMax);
  readonly #breakers = new Kept<Breaker>(countedMax);

  constructor(fetch: BoundedFetch, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** @throws NotTaken with what is wrong, if there is no telling how to talk to it. */
  async endpoint(url: string, signal: AbortSignal): Promise<Endpoint> {
    const known = this.#endpoints.get(url);
    if (known !== undefined && this.#clock.monotonic() < known.until) return known.endpoint;
    const endpoint = await discover(url, this.#fetch, this.#clock, signal);
    this.#endpoints.set(url, { endpoint, until: this.#clock.monotonic() + cardTtlMs });
    return endpoint;
  }

  /** Its card is read again next time: what it said may be out of date. */
  forget(url: string): void {
    this.#endpoints.delete(url);
  }

  /** Why an agent is left alone for now; undefined if it may be tried. */
  leftAlone(url: string): string | undefined {
    const breaker = this.#breakers.get(url);
    if (breaker === undefined) return undefined;
    const next = admitted(breaker, this.#clock.monotonic());
    if (next === undefined)
      return `it could not be reached ${breaker.failures} times in a row, and is left alone for a while`;
    this.#breakers.set(url, next);
    return undefined;
  }

  failed(url: string): void {
    this.#breakers.set(url, afterFailure(this.#breakers.get(url) ?? trusted, this.#clock.monotonic()));
  }

  answered(url: string): void {
    this.#breakers.delete(url);
  }
}
