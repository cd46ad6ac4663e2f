import type { BoundedFetch } from '../bounded-fetch.ts';
import type { Origin } from './opaque.ts';
import type { ModelAnswer, ModelPort, ModelRequest } from './port.ts';
import { type Attempt, type Clock, callWithRetries } from './retry.ts';

/** What every adapter is given. */
export type AdapterOptions = {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly origin: Origin;
  /** The limit for one `generate` with all its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly fetch: BoundedFetch;
  /** Rids an error text of secrets and bounds it. */
  readonly redact: (text: string) => string;
};

/** One try at an answer. `emit` passes on a piece of the answer's text. Everything thrown counts as a failure. */
export type GenerateOnce = (
  request: ModelRequest,
  signal: AbortSignal,
  emit: (text: string) => void,
) => Promise<Attempt<ModelAnswer>>;

/** What the error texts of a provider begin with; `status` is there if the failure is an HTTP status. */
export type ErrorPrefix = (status: number | undefined) => string;

/**
 * Makes a port of one try: with the time limit, the retries, and error texts that begin with `errorPrefix`. Nothing is
 * tried again once a piece of the answer was passed on, because what was shown cannot be taken back.
 */
export function createPort(errorPrefix: ErrorPrefix, options: AdapterOptions, generateOnce: GenerateOnce): ModelPort {
  return {
    generate: async (request, { signal, onDelta }) => {
      let emitted = false;
      const outcome = await callWithRetries(
        (limit) =>
          generateOnce(request, limit, (text) => {
            if (!onDelta || text === '' || limit.aborted) return;
            emitted = true;
            onDelta(text);
          }),
        { signal, timeoutMs: options.timeoutMs, clock: options.clock, mayRetry: () => !emitted },
      );
      if (outcome.kind === 'done') return { kind: 'answer', answer: outcome.value };
      return { kind: 'failed', message: options.redact(`${errorPrefix(outcome.status)}: ${outcome.message}`) };
    },
  };
}
