import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { dnsTimeoutMs, dnsTries, hostsCharactersMax } from './bounds.ts';
import type { Resolve } from './deliver.ts';

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

/** Where this kind of machine writes names down. */
const systemFile = (): string =>
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/**
 * The addresses that a file in the format of hosts(5) has for a name, read anew for each. `localhost` and the names below it are
 * this machine whatever is written (RFC 6761, 6.3). A file that cannot be read, or is too large, holds none.
 */
export function hostsFile(path = systemFile()): (hostname: string) => Promise<readonly string[]> {
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.length > hostsCharactersMax) return [];
    return text.split('\n').flatMap((line) => {
      const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
      return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [];
    });
  };
}
