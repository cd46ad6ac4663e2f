import { harmlessOf, only } from '../../parts/harmless-environment.ts';
import type { ServiceName } from '../names.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Keys and addresses of models. */
const ofModels = /^[A-Z0-9]+_(API_KEY|BASE_URL)$/;
/** How the outside is reached; may hold a password. */
const ofProxies = /^(https?|no|all)_proxy$/i;

/** What each service needs of our environment beside what the launcher sets. */
const neededBy: Readonly<Record<ServiceName | 'nats', readonly RegExp[]>> = {
  store: [],
  'mcp-bridge': [ofProxies],
  orchestrator: [ofModels, ofProxies],
  approvals: [],
  registry: [ofProxies],
  gateway: [],
  nats: [],
};

/**
 * Of our environment what a process needs, and nothing else: a key that a service does not have, it cannot lose. Proxies are among
 * it, since Node looks at them before it looks at anything of ours.
 */
export function environmentFor(service: ServiceName | 'nats', ours: Variables): NodeJS.ProcessEnv {
  return { ...harmlessOf(ours), ...(neededBy[service].includes(ofProxies) ? only(ours, [ofProxies]) : {}) };
}

/** Of our environment what a process needs and others must not see. */
export function secretsFor(service: ServiceName, ours: Variables): NodeJS.ProcessEnv {
  return only(
    ours,
    neededBy[service].filter((shape) => shape !== ofProxies),
  );
}
