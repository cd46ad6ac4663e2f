import type { AgentInterface, Card } from './card.ts';

/** Where an agent is talked to, and how. */
export type Endpoint = AgentInterface & Omit<Card, 'interfaces'>;

/** The newest first; of one version JSON-RPC. What needs a connection of another kind is for agents that speak nothing else. */
const preferred = [
  '1.0 JSONRPC',
  '1.0 HTTP+JSON',
  '0.3 JSONRPC',
  '0.3 HTTP+JSON',
  'legacy JSONRPC',
  '1.0 GRPC',
  '0.3 GRPC',
];

/**
 * Chooses among the interfaces of a card for the address that is configured. Only the configured host is ever talked to:
 * a card may name another path there, and a port for gRPC, but cannot send messages and tokens elsewhere, and often names a host that is only
 * its own idea. A configured path that the card knows nothing of is taken as it is, for JSON-RPC.
 *
 * Undefined if the card names nothing that we speak.
 */
export function chooseEndpoint(configured: string, card: Card): Endpoint | undefined {
  const all = card.interfaces.map((one) => ({ ...one, url: atHostOf(configured, one) })).sort(byPreference);
  const here = all.filter(({ binding }) => binding !== 'GRPC');
  const own = pathOf(configured);
  const isBare = own === '';
  const exact = here.find(({ url }) => pathOf(url) === own);
  const below = here.find(({ url }) => pathOf(url).startsWith(`${own}/`));
  const chosen =
    (isBare ? here[0] : undefined) ??
    exact ??
    below ??
    asConfigured(configured, here) ??
    (here.length === 0 ? all[0] : undefined);
  if (chosen === undefined) return undefined;
  // What is configured may hold more than a path.
  const url = chosen === exact && chosen.binding === 'JSONRPC' && !isBare ? configured : chosen.url;
  const { interfaces: _others, ...said } = card;
  return { ...chosen, ...said, url };
}

/** Whether a card speaks of the address that is configured; one of nothing but gRPC speaks of no path. */
export function isCardFor(configured: string, { interfaces }: Card): boolean {
  const own = pathOf(configured);
  const paths = interfaces.filter(({ binding }) => binding !== 'GRPC').map(({ url }) => pathOf(url));
  if (paths.length === 0) return interfaces.length > 0;
  return paths.some((path) => own === '' || path === own || path.startsWith(`${own}/`));
}

/** For an address without any card: what came before is the only version that had none. */
export function endpointWithoutCard(configured: string): Endpoint {
  const unsaid = { streams: false, notifies: false, isIdempotent: false, about: '' };
  return { url: configured, binding: 'JSONRPC', dialect: 'legacy', tenant: '', ...unsaid };
}

function asConfigured(configured: string, here: readonly AgentInterface[]): AgentInterface | undefined {
  const rpc = here.find(({ binding }) => binding === 'JSONRPC');
  return rpc === undefined ? undefined : { ...rpc, url: configured };
}

function byPreference(a: AgentInterface, b: AgentInterface): number {
  return rank(a) - rank(b);
}

function rank({ dialect, binding }: AgentInterface): number {
  const at = preferred.indexOf(`${dialect} ${binding}`);
  return at < 0 ? preferred.length : at;
}

/** Without the slash at its end, so that the root is nothing. */
export function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** Of what is named: its path, and for gRPC its port, which is never the one of HTTP. */
function atHostOf(configured: string, { url: named, binding }: AgentInterface): string {
  const { pathname, search, port, protocol } = new URL(named);
  if (binding !== 'GRPC') return new URL(`${pathname}${search}`.replace(/^\/+/, '/'), configured).href;
  const { hostname, protocol: own } = new URL(configured);
  const isSecure = own === 'https:' || protocol === 'https:';
  return `${isSecure ? 'https' : 'http'}://${hostname}:${port || (isSecure ? '443' : '80')}/`;
}
