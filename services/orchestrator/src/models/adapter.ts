import type { BoundedFetch } from '../bounded-fetch.ts';
import { latestMedia, notTaken, showsMedia, withoutMedia } from './media.ts';
import type { Origin } from './opaque.ts';
import type { ModelAnswer, ModelPort, ModelRequest } from './port.ts';
import { RefusedMedia } from './refused-media.ts';
import { type Attempt, callWithRetries, type RetryTime } from './retry.ts';

/** What providers answer to a request whose content they do not take. */
const refusedForContent: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** So many more requests may follow such answers: with less of the media, then with none. Each has its own retries. */
const asksAgainMax = 2;

/** What every adapter is given. */
export type AdapterOptions = {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly origin: Origin;
  /** The limit for one `generate` with all its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: RetryTime;
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

/** What is to be known of a provider beside how it is asked. */
export type Provider = {
  readonly errorPrefix: ErrorPrefix;
  readonly takes: ModelPort['takes'];
  /** Media that one request may show. */
  readonly mediaMax: number;
};

/**
 * Makes a port of one try: with the time limit, the retries, and error texts that begin with `errorPrefix`. A try is given only media
 * that the provider takes: what a request shows is what is sent. Nothing is
 * tried again once a piece of the answer was passed on, because what was shown cannot be taken back.
 */
export function createPort(
  { errorPrefix, takes, mediaMax }: Provider,
  options: AdapterOptions,
  generateOnce: GenerateOnce,
): ModelPort {
  const refused = new RefusedMedia(() => options.clock.monotonic());
  /** The request with what is sent of its media. Those that were refused leave their place to others. */
  const sent = (request: ModelRequest): ModelRequest => {
    const taken = withoutMedia(request, notTaken, ({ mediaType, size }) => !takes(request.model, mediaType, size));
    return latestMedia(refused.leaveOut(taken), mediaMax);
  };
  return {
    takes,
    generate: async (request, { signal, onDelta, onRetry }) => {
      const told = ({ status, message }: { readonly status?: number; readonly message: string }) =>
        options.redact(`${errorPrefix(status)}: ${message}`);
      let emitted = false;
      const deadline = options.clock.monotonic() + options.timeoutMs;
      const ask = (asked: ModelRequest, within: { readonly deadline?: number } = {}) =>
        callWithRetries(
          (limit) =>
            generateOnce(asked, limit, (text) => {
              if (!onDelta || text === '' || limit.aborted) return;
              emitted = true;
              onDelta(text);
            }),
          {
            ...{ signal, timeoutMs: options.timeoutMs, ...within, clock: options.clock, mayRetry: () => !emitted },
            onRetry: (failure, inMs) => onRetry?.(told(failure), inMs),
          },
        );
      let asked = sent(request);
      let outcome = await ask(asked);
      let before: { readonly asked: ModelRequest; readonly status: number } | undefined;
      // Some models cannot see or hear, and some images are broken: neither may make a conversation unusable.
      for (let again = 1; again <= asksAgainMax && outcome.kind === 'failed'; again++) {
        const status = outcome.status ?? 0;
        if (!refusedForContent.has(status) || emitted || !showsMedia(asked)) break;
        before = { asked, status };
        asked = again < asksAgainMax ? refused.lessThan(asked, status) : refused.nothingOf(asked, status);
        outcome = await ask(asked, { deadline });
      }
      if (outcome.kind === 'done') {
        refused.take(asked);
        if (before !== undefined) refused.refuse(before.asked, before.status);
        return { kind: 'answer', answer: outcome.value };
      }
      const { cause, isEmpty } = outcome;
      return { kind: 'failed', message: told(outcome), ...(cause && { cause }), ...(isEmpty && { isEmpty }) };
    },
  };
}
