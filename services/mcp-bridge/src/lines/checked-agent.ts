import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { Agent } from 'undici';
import { NotAllowed } from '../failures.ts';
import { addressProblem, type KnownPlaces } from './address-rules.ts';
import type { Connections } from './own-fetch.ts';

/** Looks a name up, as `dns.lookup` does: without addresses where there is an error. */
export type Lookup = (
  host: string,
  options: { readonly all: true; readonly family?: number },
  callback: (error: Error | null, addresses?: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

const ofSystem: Lookup = (host, options, callback) => systemLookup(host, options, callback);

/**
 * Connections that are made to addresses that the rules allow only. What a name stands for is looked at in the
 * moment of the connection, so that it cannot be another one by then. `silentMs`: how long a server may say nothing to a
 * request.
 */
export function checkedAgent(
  known: KnownPlaces,
  { silentMs, lookup = ofSystem }: { readonly silentMs: number; readonly lookup?: Lookup },
): Connections {
  return new Agent({
    // Its own limits of five minutes would end calls that may take longer, and those that wait for people.
    headersTimeout: silentMs,
    bodyTimeout: silentMs,
    connect: {
      lookup: (host, options, callback) => {
        const family = typeof options.family === 'number' ? { family: options.family } : {};
        lookup(host, { all: true, ...family }, (error, addresses = []) => {
          const [first] = addresses;
          if (error !== null || first === undefined) return callback(error ?? noAddress(host), '', 0);
          const named = addresses.map(({ address }) => address);
          const problem = addressProblem(host, named, known);
          if (problem !== undefined) return callback(new NotAllowed(problem), '', 0);
          if (options.all === true) return callback(null, [...addresses]);
          callback(null, first.address, first.family);
        });
      },
    },
  });
}

/** As the system says of a name that stands for nothing. */
const noAddress = (host: string): Error =>
  Object.assign(new Error(`${host} stands for no address`), { code: 'ENOTFOUND' });

/**
 * The same look at an address that is written out: there is nothing to look up then.
 *
 * @throws NotAllowed with what to do.
 */
export function checkLiteral(url: URL, known: KnownPlaces): void {
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const problem = isIP(host) === 0 ? undefined : addressProblem(host, [host], known);
  if (problem !== undefined) throw new NotAllowed(problem);
}
