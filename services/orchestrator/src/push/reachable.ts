import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 that is not of the public network: this host, private, shared, link-local (metadata services), special, multicast. */
const closed = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closed.addSubnet(network, prefix, 'ipv4');

/** IPv6 that is given out to the public network, … */
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
/** … without what leads to IPv4 or nowhere. */
const notGlobal = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notGlobal.addSubnet(network, prefix, 'ipv6');

/** True for an IP address of the public network. What is no address is none of it. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return global.check(address, 'ipv6') && !notGlobal.check(address, 'ipv6');
}

/** The address that a host of a URL is, if it is one and not a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** True for a name that means this machine, or its own network, whoever resolves it. */
export const isLocalName = (hostname: string): boolean => /(^|\.)(localhost|local|internal)\.?$/i.test(hostname);

/** IPv4 that is never told: link-local, where most clouds have their metadata services, and where the others have theirs. */
const neverV4 = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
] as const;
const never = new BlockList();
for (const [network, prefix] of neverV4) {
  never.addSubnet(network, prefix, 'ipv4');
  // As IPv6 writes the same address: mapped, compatible, and translated on the way.
  for (const around of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::'])
    never.addSubnet(`${around}${network}`, 96 + prefix, 'ipv6');
  const hex = network.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  never.addSubnet(`2002:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}::`, 16 + prefix, 'ipv6');
}
for (const [network, prefix] of [
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
] as const)
  never.addSubnet(network, prefix, 'ipv6');

/** True for an address that nobody may have told, private addresses allowed or not: whoever answers there gives away credentials. */
export function isNeverTold(address: string): boolean {
  const [bare = ''] = address.split('%');
  return never.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
}

/** True for a name by which a cloud's metadata service is called. */
export const isMetadataName = (hostname: string): boolean =>
  /^(metadata|instance-data|metadata\.(google|azure)\.internal|metadata\.goog|instance-data\.ec2\.internal|metadata\.(platformequinix|tencentyun)\.com)\.?$/i.test(
    hostname,
  );
