// Cards of any version, read into the model: those of 0.3 and before name their addresses in other words.

import { isObject } from '../dialect.ts';
import { AgentCard } from '../protocol.ts';

/** A card with the address that its agent prefers, as cards of 0.3 name it; empty if it names none. */
export type DiscoveredCard = AgentCard & { readonly url: string };

/** Reads a card as an agent of 1.0, of 0.3 or of before shows it. @throws Error for what is none. */
export function readAnyCard(json: unknown): DiscoveredCard {
  if (!isObject(json) || typeof json.name !== 'string') throw new Error('the answer holds no agent card');
  const named = Array.isArray(json.supportedInterfaces) ? json.supportedInterfaces : [];
  const supportedInterfaces = named.length > 0 ? named : oldInterfaces(json);
  const card = AgentCard.fromJSON({ ...json, supportedInterfaces });
  return { ...card, url: typeof json.url === 'string' ? json.url : (card.supportedInterfaces[0]?.url ?? '') };
}

/** The addresses of a card of 0.3, the preferred one first. Before 0.3 there was one, for JSON-RPC. */
function oldInterfaces({ url, preferredTransport, additionalInterfaces }: Readonly<Record<string, unknown>>): object[] {
  const others = Array.isArray(additionalInterfaces) ? additionalInterfaces.filter(isObject) : [];
  const first = { url, transport: preferredTransport ?? 'JSONRPC' };
  const isFirst = (one: Readonly<Record<string, unknown>>) => one.url === url && one.transport === first.transport;
  return [first, ...others.filter((one) => !isFirst(one))]
    .filter((one) => typeof one.url === 'string')
    .map((one) => ({ url: one.url, protocolBinding: one.transport, protocolVersion: '0.3' }));
}
