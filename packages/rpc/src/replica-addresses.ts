import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { formatAddress, type HostPort } from './address.ts';
import { addressesMax, lookupAgainMs, lookupMsDefault } from './bounds.ts';

/** The IP addresses of a host name. Rejects if there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

type Options = {
  readonly lookup?: Lookup | undefined;
  readonly lookupMs?: number | undefined;
  /** Told at first, and whenever the set of addresses has changed. */
  readonly onChange: (addresses: readonly HostPort[]) => void;
};

/**
 * How a list of addresses and names becomes the servers to connect to.
 *
 * 1. Names are looked up again every `lookupMs`, and when a connection is lost, at most every `lookupAgainMs`.
 * 2. A name that cannot be looked up keeps the addresses it had: name servers fail too.
 */
export class ReplicaAddresses {
  /** The names among the addresses. */
  readonly names: readonly string[];
  readonly #addresses: readonly HostPort[];
  readonly #lookup: Lookup;
  readonly #lookupMs: number;
  readonly #onChange: Options['onChange'];
  readonly #known = new Map<string, readonly string[]>();
  #told: string | undefined;
  #underWay = false;
  #stopped = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    addresses: readonly HostPort[],
    { lookup = systemLookup, lookupMs = lookupMsDefault, onChange }: Options,
  ) {
    this.#addresses = addresses;
    this.names = [...new Set(addresses.map(({ host }) => host).filter((host) => isIP(host) === 0))];
    this.#lookup = lookup;
    this.#lookupMs = lookupMs;
    this.#onChange = onChange;
  }

  /** Looks up now; where there are no names, tells the addresses before it returns. */
  start(): void {
    if (this.names.length === 0) this.#tell();
    else void this.#resolve();
  }

  /** Looks up soon: a connection was lost or could not be made. */
  again(): void {
    if (this.names.length === 0 || this.#underWay || this.#stopped) return;
    const sinceMs = performance.now() - this.#lastMs;
    if (sinceMs >= lookupAgainMs) void this.#resolve();
    else this.#after(Math.min(lookupAgainMs - sinceMs, this.#lookupMs));
  }

  /** Nothing is looked up or told any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #resolve(): Promise<void> {
    clearTimeout(this.#timer);
    this.#underWay = true;
    await Promise.all(this.names.map((name) => this.#lookUp(name)));
    this.#underWay = false;
    if (this.#stopped) return;
    this.#lastMs = performance.now();
    this.#after(this.#tell() === 0 ? lookupAgainMs : this.#lookupMs);
  }

  async #lookUp(name: string): Promise<void> {
    try {
      this.#known.set(name, await this.#lookup(name));
    } catch {
      // Rule 2; a name that never had an address is told as such.
    }
  }

  #tell(): number {
    const all = this.#addresses.flatMap(({ host, port }) =>
      isIP(host) !== 0 ? [{ host, port }] : (this.#known.get(host) ?? []).map((ip) => ({ host: ip, port })),
    );
    const distinct = [...new Map(all.map((one) => [formatAddress(one), one])).values()].slice(0, addressesMax);
    const told = distinct.map(formatAddress).sort().join();
    if (told !== this.#told) this.#onChange(distinct);
    this.#told = told;
    return distinct.length;
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#resolve(), ms).unref();
  }
}
