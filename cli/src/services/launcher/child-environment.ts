import type { ServiceName } from '../names.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What any program may need to run as it should: no credentials. */
const harmless = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TERM|TMPDIR|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/;
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
  gateway: [],
  nats: [],
};

/** Of our environment what a process needs, and nothing else: a key that a service does not have, it cannot lose. */
export function environmentFor(service: ServiceName | 'nats', ours: Variables): NodeJS.ProcessEnv {
  const passed = [harmless, ...neededBy[service]];
  return Object.fromEntries(Object.entries(ours).filter(([name]) => passed.some((shape) => shape.test(name))));
}
