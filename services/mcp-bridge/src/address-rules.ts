// Where a connection to a server may go:
//
// 1. Never to an address that no tool server has: link-local ones (the metadata services of clouds among them),
//    multicast, broadcast, unspecified and reserved ones.
// 2. What a name stands for is looked at when a connection is made, with the addresses that it is made to.
// 3. A name stays where it was: one that stood for a public address stands for none on this machine or in its network
//    later, or whoever has the name could reach what only we can.
import { BlockList, isIP } from 'node:net';

/** Where an address is, as far as it matters here. */
export type AddressPlace = 'loopback' | 'private' | 'public' | 'forbidden';

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

const forbidden = listOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata services outside of the link-local ranges.
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);
const loopback = listOf(['127.0.0.0/8', '::1/128']);
const inner = listOf(['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7']);

/** Where an IP address is. One of IPv4 that is written as IPv6 is where the former is. What is no address is forbidden. */
export function placeOf(address: string): AddressPlace {
  const bare = address.replace(/%.*$/u, '');
  const family = isIP(bare);
  if (family === 0) return 'forbidden';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const embedded = family === 6 ? embeddedIpv4(bare) : undefined;
  if (embedded !== undefined) return placeOf(embedded);
  if (forbidden.check(bare, type)) return 'forbidden';
  if (loopback.check(bare, type)) return 'loopback';
  return inner.check(bare, type) ? 'private' : 'public';
}

/** IPv4 inside of IPv6: mapped, translated (NAT64) or tunnelled (6to4), however it is spelled. */
function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [first, second] = groups;
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  const isMapped = isZero(0, 5) && groups[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && isZero(2, 6);
  if (isMapped || isNat64) return ipv4Of(groups[6], groups[7]);
  return first === 0x2002 ? ipv4Of(second, groups[2]) : undefined;
}

function ipv4Of(high = 0, low = 0): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(address);
  const whole =
    dotted === null
      ? address
      : `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`;
  const [left = '', right] = whole.split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = numbers(left);
  if (right === undefined) return before;
  const after = numbers(right);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

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
