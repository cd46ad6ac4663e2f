import { setImmediate } from 'node:timers/promises';
import type { PriceTable } from '@stopgo/runtime';
import { createBoundedFetch } from '../bounded-fetch.ts';
import { inOrder, type OnFallback } from './fallback.ts';
import { type Endpoints, type ResolvedModel, resolveModel } from './model-name.ts';
import { type Place, placeOf, problemsOfPlace } from './places.ts';
import type { ModelPort } from './port.ts';
import { createCostOf, loadPrices } from './prices.ts';
import { providers } from './providers.ts';
import { createRedactor } from './redact.ts';
import type { RetryTime } from './retry.ts';

/** The limit of one `generate` with all its retries, in milliseconds. */
export const modelTimeoutMs = 60_000;
/** What `ModelAnswer.model` says when the offline model answered. */
export const offlineModelName = 'offline';

/** Sent where no key is needed: some programs in between insist on the header. */
const noKeyNeeded = 'no-key-needed';

type Supported = Extract<ResolvedModel, { readonly kind: 'supported' }>;

/** What the models are made of. */
export type ModelsOptions = {
  /** The keys and base URLs of the providers are read (`keyVariable` and `urlVariable` in `PROVIDERS`), nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default `modelTimeoutMs`. */
  readonly modelTimeoutMs?: number;
  /** Providers beside the usual ones, by the names that models begin with. Their keys are read, too. */
  readonly endpoints?: Endpoints;
  /** Told when another model is asked because one could not answer. */
  readonly onFallback?: OnFallback;
  /** Base URL of the offline model. If given, every model goes there, without a key. */
  readonly offlineModel?: string;
  /** Default: the time of this machine. */
  readonly clock?: RetryTime;
  /** Prices that win over the bundled ones. */
  readonly prices?: PriceTable;
  /** Told once of each model without a known price. */
  readonly onUnpriced?: (model: string) => void;
};

/** The configured models. */
export type Models = {
  /**
   * The model of this name; `fallbacks` are asked in this order where the one before could not answer. Never throws: a name or a key that
   * is not usable shows as the failure of each `generate`.
   */
  forModel(name: string, fallbacks?: readonly string[]): ModelPort;
  /** One line for each thing that keeps one of these models from being called; empty if all is well. */
  check(names: readonly string[]): string[];
  /** Loads what the first call of these models would have to load. */
  warmUp(names: readonly string[]): Promise<void>;
};

/**
 * Makes the models known by name. There is one client for each provider, made at its
 * first use and kept, so that connections are reused. A key is needed only for a provider that is used.
 */
export function createModels(options: ModelsOptions): Models {
  const { env, offlineModel, endpoints = {} } = options;
  const read = (variable: string): string => env[variable]?.trim() ?? '';
  const keyVariables = [...Object.values(providers), ...Object.values(endpoints)].map(({ keyVariable }) => keyVariable);
  const redact = createRedactor(keyVariables.map((variable) => (variable === undefined ? '' : read(variable))));
  const ports = new Map<string, ModelPort>();
  const fetch = createBoundedFetch();
  const costOf = createCostOf(options.prices ?? {}, (model) => options.onUnpriced?.(model));

  const portOf = (resolved: Supported, { baseUrl, keyVariable }: Place): ModelPort => {
    const { provider, endpoint } = resolved;
    const key = endpoint === undefined ? provider : `${provider} ${endpoint}`;
    const known = ports.get(key);
    if (known) return known;
    const port = providers[provider].create({
      apiKey: (offlineModel === undefined && keyVariable !== undefined && read(keyVariable)) || noKeyNeeded,
      baseUrl: offlineModel ?? baseUrl,
      origin: offlineModel === undefined ? 'live' : 'offline',
      timeoutMs: options.modelTimeoutMs ?? modelTimeoutMs,
      clock: options.clock ?? machineClock,
      fetch,
      redact,
    });
    ports.set(key, port);
    return port;
  };

  const problemsOf = (name: string): string[] => {
    const resolved = resolveModel(name, endpoints);
    if (resolved.kind === 'refused') return [resolved.problem];
    return offlineModel === undefined ? problemsOfPlace(placeOf(resolved, endpoints, read), name, read) : [];
  };

  const modelOf = (name: string): ModelPort => ({
    takes: (_, mediaType, bytes) => {
      const resolved = resolveModel(name, endpoints);
      if (resolved.kind === 'refused') return false;
      return portOf(resolved, placeOf(resolved, endpoints, read)).takes(resolved.model, mediaType, bytes);
    },
    generate: async (request, call) => {
      call.signal.throwIfAborted();
      const [problem] = problemsOf(name);
      const resolved = resolveModel(name, endpoints);
      if (resolved.kind === 'refused')
        return { kind: 'failed', message: redact(resolved.problem), cause: 'unknown_model' };
      if (problem !== undefined) return { kind: 'failed', message: redact(problem), cause: 'unauthorized' };
      await othersSent();
      const { provider, model, endpoint } = resolved;
      const place = placeOf(resolved, endpoints, read);
      const outcome = await portOf(resolved, place).generate({ ...request, model }, call);
      if (outcome.kind === 'failed') return outcome;
      const answer = { ...outcome.answer, ...(endpoint !== undefined && { endpoint }) };
      // The offline model is nobody's, and has no price.
      if (offlineModel !== undefined) return { kind: 'answer', answer: { ...answer, model: offlineModelName } };
      const named = endpoint === undefined ? {} : { endpoint };
      const costNanoUsd = await costOf({ provider, model, baseUrl: place.baseUrl, ...named }, answer.usage);
      const usage = { ...answer.usage, ...(costNanoUsd !== undefined && { costNanoUsd }) };
      return { kind: 'answer', answer: { ...answer, usage } };
    },
  });

  return {
    forModel: (name, fallbacks = []) => {
      const others = fallbacks.map((one) => ({ name: one, port: modelOf(one) }));
      return inOrder([{ name, port: modelOf(name) }, ...others], (of) => options.onFallback?.(of));
    },
    check: (names) => [...new Set(names)].flatMap(problemsOf),
    warmUp: async (names) => {
      const resolved = names
        .map((name) => resolveModel(name, endpoints))
        .flatMap((model) => (model.kind === 'supported' ? [model.provider] : []));
      const prices = offlineModel === undefined && resolved.length > 0 ? [loadPrices()] : [];
      await Promise.all([...[...new Set(resolved)].map((provider) => providers[provider].load()), ...prices]);
    },
  };
}

/**
 * Resolves once what was handed to other services in this turn of the event loop is on its way, if the connection
 * is free: the first turn hands it to the connection, the second one writes it. A provider's SDK takes longer to make a request than an append takes to arrive.
 */
async function othersSent(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

const machineClock: RetryTime = {
  monotonic: () => performance.now(),
  // An aborted sleep is over, which is all that its caller wants to know.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
    }),
  random: () => Math.random(),
};
