import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * True if only this machine reaches the host: a loopback address or `localhost`. Brackets around an IPv6 address and a dot
 * at the end of a name are ignored. Any other name may stand for any address, so it is not loopback; nor is a short or
 * octal spelling of an address, which a URL parser turns into the usual one first.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/su, '$1');
  const family = isIP(bare);
  if (family === 0) return /^localhost\.?$/iu.test(bare);
  // A list of IPv4 ranges also holds them as IPv6 writes them (::ffff:127.0.0.1).
  return loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}
