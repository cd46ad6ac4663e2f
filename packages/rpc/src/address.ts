import { isIP, isIPv4, isIPv6 } from 'node:net';
import { addressesMax } from './bounds.ts';

/** Addresses of a list that a text for humans names. */
const namedMax = 3;

/** Where a server listens or a client connects. */
export type HostPort = { readonly host: string; readonly port: number };

/**
 * Reads `host:port` or `[ipv6]:port`.
 *
 * @throws Error that says what is expected.
 */
export function parseAddress(address: string): HostPort {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(address);
  const [, ipv6, name, digits] = match ?? [];
  const port = Number(digits);
  if (ipv6 !== undefined ? !isIPv6(ipv6) : name === undefined || !isNameOrIPv4(name)) throw malformed(address);
  if (port > 65_535) throw malformed(address);
  return { host: ipv6 ?? name ?? '', port };
}

/**
 * Reads the addresses of one service: one or more of `host:port` and `[ipv6]:port`, separated by commas. One that is
 * named twice counts once.
 *
 * @throws Error that names the address that is wrong.
 */
export function parseAddresses(list: string): readonly HostPort[] {
  const parsed = new Map<string, HostPort>();
  for (const part of list.split(',')) {
    const address = parseAddress(part.trim());
    if (address.port === 0) throw new Error(`address "${part.trim()}": nobody listens on port 0; name the real port`);
    parsed.set(formatAddress(address), address);
  }
  if (parsed.size > addressesMax) {
    throw new Error(`${parsed.size} addresses for one service, more than the ${addressesMax} allowed`);
  }
  return [...parsed.values()];
}

/** The reverse of {@link parseAddress}. */
export const formatAddress = ({ host, port }: HostPort): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

/** The reverse of {@link parseAddresses}. */
export const formatAddresses = (addresses: readonly HostPort[]): string => addresses.map(formatAddress).join(',');

/** What a text for humans says of a list of addresses: the first few, and how many there are besides. */
export function briefly(list: string): string {
  const addresses = list.split(',');
  if (addresses.length <= namedMax) return addresses.join(', ');
  return `${addresses.slice(0, namedMax).join(', ')} and ${addresses.length - namedMax} more`;
}

/** A name of digits and dots only is an IPv4 address or a slip. */
const isNameOrIPv4 = (host: string): boolean => isIPv4(host) || !/^[0-9.]+$/.test(host);

const malformed = (address: string): Error => new Error(`address "${address}": expected host:port or [ipv6]:port`);
