import { lookup } from 'node:dns/promises';
import type { Resolve } from './deliver.ts';

/** Asks this machine for the addresses of a name, in the order that it prefers. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
