// How a list of addresses and names becomes the servers that a channel connects to.
//
// grpc-js has resolvers of its own, but none takes a list that mixes names and addresses, and its one for names looks a
// name up again only when a connection is lost: a replica that was added would never be found.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { experimental, status } from '@grpc/grpc-js';
import { formatAddress, type HostPort, parseAddresses } from './address.ts';
import { ADDRESSES_MAX, CONNECT_WAIT_MS, LOOKUP_AGAIN_MS, LOOKUP_MS } from './bounds.ts';

/** The IP addresses of a host name. Rejects if there are none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const SCHEME = 'stopgo';
const OPTION = 'grpc.internal.no_subchannel.stopgo';

type ResolverOptions = { readonly lookup?: Lookup | undefined; readonly lookupMs?: number | undefined };

/** What a channel is given to connect to `addresses`: {@link parseAddresses} as text. */
export function resolved(addresses: string, options: ResolverOptions): { target: string; options: object } {
  experimental.registerResolver(SCHEME, AddressResolver);
  return { target: `${SCHEME}:${addresses}`, options: { [OPTION]: options } };
}

const systemLookup: Lookup = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * 1. Names are looked up again every `lookupMs`, and at once when a connection is lost; grpc-js paces that.
 * 2. A name that cannot be looked up keeps the addresses it had: name servers fail too.
 * 3. The channel is told at first, and when the set of addresses has changed.
 * 4. Where nothing is known after `CONNECT_WAIT_MS` the channel is told so, and its calls stop waiting.
 */
class AddressResolver implements experimental.Resolver {
  readonly #addresses: readonly HostPort[];
  readonly #names: readonly string[];
  readonly #listener: experimental.ResolverListener;
  readonly #lookup: Lookup;
  readonly #lookupMs: number;
  readonly #known = new Map<string, readonly string[]>();
  #told: string | undefined;
  #underWay: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    target: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    channelOptions: Readonly<Record<string, unknown>>,
  ) {
    const { lookup = systemLookup, lookupMs = LOOKUP_MS } = channelOptions[OPTION] as ResolverOptions;
    this.#addresses = parseAddresses(target.path);
    this.#names = [...new Set(this.#addresses.map(({ host }) => host).filter((host) => isIP(host) === 0))];
    this.#listener = listener;
    this.#lookup = lookup;
    this.#lookupMs = lookupMs;
  }

  /** What HTTP/2 calls the host; no server of ours looks at it. */
  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',', 1).join();
  }

  updateResolution(): void {
    if (this.#underWay !== undefined || (this.#names.length === 0 && this.#told !== undefined)) return;
    this.#underWay = new AbortController();
    void this.#resolve(this.#underWay.signal);
  }

  destroy(): void {
    this.#underWay?.abort();
    this.#underWay = undefined;
    clearTimeout(this.#timer);
    this.#told = undefined;
    this.#known.clear();
  }

  async #resolve(destroyed: AbortSignal): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#told === undefined) this.#after(CONNECT_WAIT_MS, () => this.#tell([]));
    await Promise.all(this.#names.map((name) => this.#lookUp(name, destroyed)));
    if (destroyed.aborted) return;
    this.#underWay = undefined;
    clearTimeout(this.#timer);
    const servers = this.#servers();
    this.#tell(servers);
    if (this.#names.length === 0) return;
    this.#after(servers.length === 0 ? LOOKUP_AGAIN_MS : this.#lookupMs, () => this.updateResolution());
  }

  async #lookUp(name: string, destroyed: AbortSignal): Promise<void> {
    try {
      const found = await this.#lookup(name);
      if (!destroyed.aborted) this.#known.set(name, found);
    } catch {
      // Rule 2; a name that never had an address is told as such.
    }
  }

  #servers(): readonly HostPort[] {
    const servers = this.#addresses.flatMap(({ host, port }) =>
      isIP(host) !== 0 ? [{ host, port }] : (this.#known.get(host) ?? []).map((ip) => ({ host: ip, port })),
    );
    const distinct = new Map(servers.map((server) => [formatAddress(server), server]));
    return [...distinct.values()].slice(0, ADDRESSES_MAX);
  }

  #tell(servers: readonly HostPort[]): void {
    const told = servers.map(formatAddress).sort().join();
    if (told === this.#told) return;
    this.#told = told;
    const endpoints =
      servers.length === 0
        ? experimental.statusOrFromError<experimental.Endpoint[]>({
            code: status.UNAVAILABLE,
            details: `${this.#names.join(', ')}: the name has no address`,
          })
        : experimental.statusOrFromValue(servers.map((server) => ({ addresses: [server] })));
    this.#listener(endpoints, {}, null, '');
  }

  #after(ms: number, act: () => void): void {
    this.#timer = setTimeout(act, ms);
    this.#timer.unref();
  }
}
