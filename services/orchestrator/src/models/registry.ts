import { setImmediate } from 'node:timers/promises';
import { createBoundedFetch } from '../bounded-fetch.ts';
import { type ProviderName, resolveModel } from './model-name.ts';
import type { ModelPort } from './port.ts';
import { createCostOf, loadPrices, type PriceTable } from './prices.ts';
import { providers } from './providers.ts';
import { createRedactor } from './redact.ts';
import type { RetryTime } from './retry.ts';

/** The limit of one `generate` with all its retries, in milliseconds. */
export const modelTimeoutMs = 60_000;
/** What `ModelAnswer.model` says when the offline model answered. */
export const offlineModelName = 'offline';

/** Sent where no key is needed: some programs in between insist on the header. */
const noKeyNeeded = 'no-key-needed';

/** What the models are made of. */
export type ModelsOptions = {
  /** The keys and base URLs of the providers are read (`keyVariable` and `urlVariable` in `PROVIDERS`), nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default `modelTimeoutMs`. */
  readonly modelTimeoutMs?: number;
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
  /** The model of this name. Never throws: a name or a key that is not usable shows as the failure of each `generate`. */
  forModel(name: string): ModelPort;
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
  const { env, offlineModel } = options;
  const read = (variable: string | undefined) => (variable === undefined ? '' : (env[variable]?.trim() ?? ''));
  const redact = createRedactor(Object.values(providers).map(({ keyVariable }) => read(keyVariable)));
  const ports = new Map<ProviderName, ModelPort>();
  const fetch = createBoundedFetch();
  const costOf = createCostOf(options.prices ?? {}, (model) => options.onUnpriced?.(model));

  const addressOf = (provider: ProviderName): string => {
    const { urlVariable, defaultUrl } = providers[provider];
    return read(urlVariable) || defaultUrl;
  };

  const portOf = (provider: ProviderName): ModelPort => {
    const known = ports.get(provider);
    if (known) return known;
    const { keyVariable, create } = providers[provider];
    const port = create({
      apiKey: (offlineModel === undefined && read(keyVariable)) || noKeyNeeded,
      baseUrl: offlineModel ?? addressOf(provider),
      origin: offlineModel === undefined ? 'live' : 'offline',
      timeoutMs: options.modelTimeoutMs ?? modelTimeoutMs,
      clock: options.clock ?? machineClock,
      fetch,
      redact,
    });
    ports.set(provider, port);
    return port;
  };

  const problemsOf = (name: string): string[] => {
    const resolved = resolveModel(name);
    if (resolved.kind === 'refused') return [resolved.problem];
    if (offlineModel !== undefined) return [];
    const { keyVariable, urlVariable } = providers[resolved.provider];
    const url = read(urlVariable);
    const key = keyVariable === undefined ? undefined : read(keyVariable);
    const lacksKey = key === '';
    return [
      ...(key !== undefined && !fitsHeader.test(key)
        ? [`${keyVariable} holds a character that no key has, such as a line break (needed by model "${name}")`]
        : []),
      ...(lacksKey ? [`${keyVariable} environment variable not set (needed by model "${name}")`] : []),
      ...(url !== '' && !isHttpUrl(url)
        ? [`${urlVariable} is not an http or https URL (needed by model "${name}")`]
        : []),
    ];
  };

  return {
    forModel: (name) => ({
      takes: (_, mediaType, bytes) => {
        const resolved = resolveModel(name);
        return resolved.kind === 'supported' && portOf(resolved.provider).takes(resolved.model, mediaType, bytes);
      },
      generate: async (request, call) => {
        call.signal.throwIfAborted();
        const [problem] = problemsOf(name);
        const resolved = resolveModel(name);
        if (problem !== undefined) return { kind: 'failed', message: redact(problem) };
        if (resolved.kind === 'refused') return { kind: 'failed', message: redact(resolved.problem) };
        await othersSent();
        const { provider, model } = resolved;
        const outcome = await portOf(provider).generate({ ...request, model }, call);
        if (outcome.kind === 'failed') return outcome;
        const { answer } = outcome;
        // What makes up answers costs nothing, and is not what was asked for.
        if (offlineModel !== undefined) return { kind: 'answer', answer: { ...answer, model: offlineModelName } };
        const costNanoUsd = await costOf({ provider, model, baseUrl: addressOf(provider) }, answer.usage);
        return {
          kind: 'answer',
          answer: { ...answer, usage: { ...answer.usage, ...(costNanoUsd !== undefined && { costNanoUsd }) } },
        };
      },
    }),
    check: (names) => [...new Set(names)].flatMap(problemsOf),
    warmUp: async (names) => {
      const resolved = names.map(resolveModel).flatMap((model) => (model.kind === 'supported' ? [model.provider] : []));
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

/** What may stand in the header that a key is sent in. */
const fitsHeader = /^[\x21-\x7e]*$/;

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
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
