// Where a connection to a server may go:
//
// 1. Never to an address that no tool server has: see `forbidden` in @stopgo/security.
// 2. What a name stands for is looked at when a connection is made, with the addresses that it is made to.
// 3. A name stays where it was: one that stood for a public address stands for none on this machine or in its network
//    later, or whoever has the name could reach what only we can.
import { type AddressPlace, placeOf } from '@stopgo/security';

/** What names stood for before: the places of their addresses. Belongs to one server for as long as the bridge lives. */
export type KnownPlaces = Map<string, Set<AddressPlace>>;

/**
 * Why a connection to these addresses of a host must not be made; undefined if it may, and then the places are remembered.
 */
export function addressProblem(host: string, addresses: readonly string[], known: KnownPlaces): string | undefined {
  const bad = addresses.find((address) => placeOf(address) === 'forbidden');
  if (bad !== undefined)
    return `${shownHost(host, bad)} is an address that no tool server may have; configure the address of the server`;
  const places = known.get(host) ?? new Set();
  const moved = addresses.find((address) => isFurtherIn(placeOf(address), places));
  if (moved !== undefined)
    return (
      `${shownHost(host, moved)} is inside (${placeOf(moved)}), and the name stood for an address outside before; ` +
      'if that is right, restart the agent'
    );
  for (const address of addresses) places.add(placeOf(address));
  known.set(host, places);
  return undefined;
}

function isFurtherIn(place: AddressPlace, known: ReadonlySet<AddressPlace>): boolean {
  // From the network to this machine and back: names of the machine itself do that. From outside to inside: never.
  return place !== 'public' && known.has('public') && !known.has(place);
}

function shownHost(host: string, address: string): string {
  return host === address ? address : `${host} (${address})`;
}
