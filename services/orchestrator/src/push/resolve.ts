import { lookup, Resolver } from 'node:dns/promises';
import { dnsTimeoutMs, dnsTries } from './bounds.ts';
import type { Resolve } from './deliver.ts';
import { hostsFile } from './hosts-file.ts';

/** What names are asked of. */
export type NameSources = {
  /** The names that are written down on this machine; none if the name is not. */
  readonly written: (hostname: string) => Promise<readonly string[]>;
  /** Name servers, which hold up nobody else however long they take. */
  readonly resolve4: (hostname: string) => Promise<readonly string[]>;
  readonly resolve6: (hostname: string) => Promise<readonly string[]>;
  /** All that this machine knows besides, as names of its own network: each question holds a thread until it is answered. */
  readonly lookUp: (hostname: string) => Promise<readonly string[]>;
};

/**
 * Looks for a name among those that are written down here, then asks name servers, and this machine for a name that they do not
 * know, for one name at a time: the threads that it asks with are those of every look-up and every file of the process, also
 * when nobody waits for the answer any more.
 */
export function resolveFrom({ written, resolve4, resolve6, lookUp }: NameSources): Resolve {
  let line: Promise<unknown> = Promise.resolve();
  return async (hostname, signal) => {
    const known = await written(hostname);
    if (known.length > 0) return known;
    const answers = await Promise.allSettled([resolve4(hostname), resolve6(hostname)]);
    const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (found.length > 0) return found;
    // Whoever is behind the name may make this machine wait as long as its name servers waited.
    const silent = answers.find((one) => one.status === 'rejected' && !isUnknownName(one.reason));
    if (silent?.status === 'rejected') throw silent.reason;
    const mine = line.then(() => {
      signal.throwIfAborted();
      return lookUp(hostname);
    });
    line = mine.catch(() => undefined);
    return mine;
  };
}

/** No such name, none of this kind, or nobody to ask. */
const unknownName = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'];

const isUnknownName = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unknownName.some((code) => code === error.code);

/** Asks whom this machine asks at the time. */
export function systemResolve(): Resolve {
  // One for each name: it knows the name servers of the moment when it is made.
  const servers = () => new Resolver({ timeout: dnsTimeoutMs, tries: dnsTries });
  return resolveFrom({
    written: hostsFile(),
    resolve4: (hostname) => servers().resolve4(hostname),
    resolve6: (hostname) => servers().resolve6(hostname),
    lookUp: async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
  });
}
