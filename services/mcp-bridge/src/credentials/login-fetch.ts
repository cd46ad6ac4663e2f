import type { FetchLike } from '@modelcontextprotocol/client';
import type { BridgeBounds } from '../bounds.ts';
import type { KnownPlaces } from '../lines/address-rules.ts';
import { checkedAgent, checkLiteral } from '../lines/checked-agent.ts';
import { fetchOver } from '../lines/own-fetch.ts';

/**
 * The `fetch` by which authorization servers are found and asked: to addresses that the rules allow only, without
 * redirects, and bounded in time and size. It is outside of all calls, so that no caller's token is in it. What the tool server
 * says where to look must not lead inside: only the origins of the configuration, `known`, may be there. What is sent (POST)
 * goes where the authorization server itself has its token endpoint: with `isStranger` it is bound by the same rule, as nobody
 * configured that server. With `onThisMachine` what is found may be on this machine, as the tool server is.
 *
 * @throws Error if the answer is too large; else what `fetch` throws.
 */
export function createLoginFetch(
  { loginMs, loginBytesMax }: Pick<BridgeBounds, 'loginMs' | 'loginBytesMax'>,
  known: readonly string[],
  {
    isStranger = false,
    onThisMachine = false,
  }: { readonly isStranger?: boolean; readonly onThisMachine?: boolean } = {},
): FetchLike {
  const origins = new Set(known.map((url) => new URL(url).origin));
  const configured = connectionsOf(loginMs);
  const found = connectionsOf(loginMs);
  return async (url, init) => {
    const { hostname, origin } = new URL(url);
    const isConfigured = origins.has(origin) || (init?.method === 'POST' && !isStranger);
    const { places, connections } = isConfigured ? configured : found;
    // As if the name had stood for an address outside before.
    if (!isConfigured)
      places.set(
        hostname.replace(/^\[(.*)\]$/u, '$1'),
        new Set(['public', ...(onThisMachine ? (['loopback'] as const) : [])]),
      );
    checkLiteral(new URL(url), places);
    const signal = AbortSignal.timeout(loginMs);
    const answer = await fetchOver(connections, url, { ...init, redirect: 'manual', signal });
    const { status, headers } = answer;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      bytes += part.byteLength;
      if (bytes > loginBytesMax)
        throw new Error(`the answer of ${new URL(url).host} is larger than ${loginBytesMax} bytes`);
      parts.push(part);
    }
    const bodyless = status === 204 || status === 205 || status === 304;
    return new Response(bodyless ? null : Buffer.concat(parts), { status, headers: new Headers(headers) });
  };
}

function connectionsOf(silentMs: number) {
  const places: KnownPlaces = new Map();
  return { places, connections: checkedAgent(places, { silentMs }) };
}
