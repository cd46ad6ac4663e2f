import { lookup, Resolver } from 'node:dns/promises';
import { dnsTimeoutMs, dnsTries, lookUpsMax } from './bounds.ts';
import type { Resolve } from './deliver.ts';

/** What names are asked of. */
export type NameSources = {
  /** Name servers, which hold up nobody else however long they take. */
  readonly resolve4: (hostname: string) => Promise<readonly string[]>;
  readonly resolve6: (hostname: string) => Promise<readonly string[]>;
  /** This machine: its hosts file and search list count too, but each question holds a thread until it is answered. */
  readonly lookUp: (hostname: string) => Promise<readonly string[]>;
};

/**
 * Asks name servers for the addresses of a name, and this machine for a name that they do not know, for few names at a time: the
 * threads that it asks with are those of every look-up and every file of the process, also when nobody waits for the answer.
 */
export function resolveFrom({ resolve4, resolve6, lookUp }: NameSources): Resolve {
  let looking = 0;
  return async (hostname) => {
    const answers = await Promise.allSettled([resolve4(hostname), resolve6(hostname)]);
    const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (found.length > 0) return found;
    const late = answers.find((one) => one.status === 'rejected' && isTimeout(one.reason));
    if (late?.status === 'rejected') throw late.reason;
    if (looking >= lookUpsMax) throw Object.assign(new Error('too many names are looked up'), { code: 'EBUSY' });
    looking += 1;
    try {
      return await lookUp(hostname);
    } finally {
      looking -= 1;
    }
  };
}

const isTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ETIMEOUT';

/** Asks whom this machine asks. */
export function systemResolve(): Resolve {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: dnsTries });
  return resolveFrom({
    resolve4: (hostname) => resolver.resolve4(hostname),
    resolve6: (hostname) => resolver.resolve6(hostname),
    lookUp: async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
  });
}
