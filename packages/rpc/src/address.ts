import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Where a server listens or a client connects. */
export type HostPort = { readonly host: string; readonly port: number };

/**
 * Reads `host:port` or `[ipv6]:port`.
 *
 * @throws Error that says what is expected.
 */
export function parseAddress(address: string): HostPort {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) throw new Error(`address "${address}": expected host:port or [ipv6]:port`);
  return { host, port };
}

/** The reverse of {@link parseAddress}. */
export const formatAddress = ({ host, port }: HostPort): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

/** Whether only this machine reaches it. A name other than `localhost` may be anything, so it is not. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
