// Where an IP address leads, as far as it matters whether a connection may be made to it. One table for all that connect:
// tool servers, logins, push notifications. Sources: IANA's special-purpose address registries (RFC 6890 and its updates), and
// the documentation of the clouds for the addresses of their metadata services, which hand out credentials to whoever asks.
import { BlockList, isIP } from 'node:net';
import { embeddedIpv4 } from './embedded-ipv4.ts';

/**
 * `loopback`: this machine. `private`: networks of one's own, shared address space among them. `forbidden`: nothing that we
 * could want to reach is there (metadata services, link-local, multicast, broadcast, unspecified, reserved). `public`: the rest.
 */
export type AddressPlace = 'loopback' | 'private' | 'public' | 'forbidden';

const forbiddenRanges = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  // IETF protocol assignments; Oracle's cloud has metadata at 192.0.0.192.
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // Metadata services elsewhere: Alibaba, Azure, Amazon, Google.
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
];
const loopbackRanges = ['127.0.0.0/8', '::1/128'];
const privateRanges = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7'];
/** Documentation, relays and the like: not given out to anybody. */
const unassignedRanges = [
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

const forbidden = listOf(forbiddenRanges);
const loopback = listOf(loopbackRanges);
const inner = listOf(privateRanges);
const unassigned = listOf(unassignedRanges);
/** What IANA gives out of IPv6. */
const global = listOf(['2000::/3']);

/**
 * Where an IP address is. One of IPv4 that is written as IPv6 (mapped, compatible, NAT64, 6to4, Teredo) is where the former is. A
 * zone (`%eth0`) is ignored. What is no address is forbidden.
 */
export function placeOf(address: string): AddressPlace {
  const bare = address.replace(/%.*$/su, '');
  const family = isIP(bare);
  if (family === 0) return 'forbidden';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (type === 'ipv6') {
    if (forbidden.check(bare, type)) return 'forbidden';
    if (loopback.check(bare, type)) return 'loopback';
    const embedded = embeddedIpv4(bare);
    if (embedded !== undefined) return placeOf(embedded);
  }
  if (forbidden.check(bare, type)) return 'forbidden';
  if (loopback.check(bare, type)) return 'loopback';
  return inner.check(bare, type) ? 'private' : 'public';
}

/**
 * True for an address that is given out to the public network, in its usual form: narrower than the place `public`. Addresses of
 * documentation, IPv4 written as IPv6, addresses with a zone and what is no address are none of it.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%') || placeOf(address) !== 'public') return false;
  if (family === 4) return !unassigned.check(address, 'ipv4');
  return global.check(address, 'ipv6') && !unassigned.check(address, 'ipv6');
}

/** The address that the host of a URL is, if it is one and not a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** True for a name that means this machine, or its own network, whoever resolves it. */
export const isLocalName = (hostname: string): boolean => /(^|\.)(localhost|local|internal)\.?$/iu.test(hostname);

/** True for a name by which a cloud's metadata service is called. */
export const isMetadataName = (hostname: string): boolean =>
  /^(metadata|instance-data|metadata\.(google|azure)\.internal|metadata\.goog|instance-data\.ec2\.internal|metadata\.(platformequinix|tencentyun)\.com)\.?$/iu.test(
    hostname,
  );

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
