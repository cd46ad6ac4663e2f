import { connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { formatAddress, type HostPort } from './address.ts';
import { connectWaitMs } from './bounds.ts';
import type { CallLifetime } from './lifetime.ts';
import { Replica, type ReplicaOptions } from './replica.ts';
import { type Lookup, ReplicaAddresses } from './replica-addresses.ts';

const { READY, TRANSIENT_FAILURE } = connectivityState;

/**
 * `waiting`: connections are being made. `gave_up`: they have been for too long, as where a frozen process accepts them.
 * `failed`: the last attempt at every address has failed.
 */
type PoolState = 'idle' | 'waiting' | 'connected' | 'gave_up' | 'failed' | 'closed';

type PoolOptions = ReplicaOptions & { readonly lookup?: Lookup | undefined; readonly lookupMs?: number | undefined };

/**
 * The connections to all replicas of a service, made when first asked for.
 *
 * Whoever asks gets the connected ones in turn. Where none is, it waits while connections are being made, for
 * `connectWaitMs` at the longest since the last was lost, and not at all when that has failed.
 */
export class Replicas {
  readonly #options: PoolOptions;
  readonly #addresses: ReplicaAddresses;
  readonly #waiting = new Set<() => void>();
  #replicas = new Map<string, Replica>();
  #order: readonly Replica[] = [];
  #turn = 0;
  #state: PoolState = 'idle';
  #timer: NodeJS.Timeout | undefined;

  constructor(addresses: readonly HostPort[], options: PoolOptions) {
    this.#options = options;
    const onChange = (found: readonly HostPort[]) => this.#use(found);
    this.#addresses = new ReplicaAddresses(addresses, { ...options, onChange });
  }

  /** The connected replica whose turn it is, if any is that is not in `but`. */
  next(but?: ReadonlySet<Replica>): Replica | undefined {
    for (let step = 0; step < this.#order.length; step++) {
      this.#turn = (this.#turn + 1) % this.#order.length;
      const replica = this.#order[this.#turn];
      if (replica?.isConnected() === true && but?.has(replica) !== true) return replica;
    }
    return undefined;
  }

  /**
   * The next connected replica, after a wait if need be. Where all attempts to connect have failed it is one of the
   * failed: a call of it fails at once, with the reason.
   *
   * @throws ServiceError if nobody has answered, Error if the pool is closed, DomainError if the call is over before.
   */
  async pick(lifetime: CallLifetime): Promise<Replica> {
    this.start();
    for (;;) {
      const connected = this.next();
      if (connected !== undefined) return connected;
      if (this.#state === 'closed') throw new Error('the channel is closed');
      if (this.#state === 'gave_up') throw this.#nobody();
      if (this.#state === 'failed') return this.#failed();
      await this.#change(lifetime);
    }
  }

  /** True if a replica is connected now, as far as is known without asking. */
  isConnected(): boolean {
    return this.#order.some((replica) => replica.isConnected());
  }

  /** The replicas that are known, connected or not, each as `host:port`. None before connections were begun. */
  get known(): readonly string[] {
    return [...this.#replicas.keys()];
  }

  /** How the connections are, taken together. */
  get state(): PoolState {
    return this.#state;
  }

  /** Begins to connect, if it has not yet. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#wait();
    this.#addresses.start();
  }

  /** Resolves when a replica is connected; rejects when the call is over before. */
  async connected(lifetime: CallLifetime): Promise<void> {
    this.start();
    while (!this.isConnected() && this.#state !== 'closed') await this.#change(lifetime);
    if (this.#state === 'closed') throw new Error('the channel is closed');
  }

  /** Gives the connections up. Calls under way go on. */
  close(): void {
    this.#addresses.stop();
    for (const replica of this.#order) replica.close();
    this.#order = [];
    this.#enter('closed');
  }

  #failed(): Replica {
    if (this.#order.length > 0) this.#turn = (this.#turn + 1) % this.#order.length;
    const failed = this.#order[this.#turn];
    if (failed === undefined) throw this.#nobody();
    return failed;
  }

  #use(addresses: readonly HostPort[]): void {
    const before = this.#replicas;
    this.#replicas = new Map(
      addresses.map((address) => {
        const key = formatAddress(address);
        const known = before.get(key);
        before.delete(key);
        return [key, known ?? this.#open(address)];
      }),
    );
    this.#order = [...this.#replicas.values()];
    for (const gone of before.values()) gone.close();
    this.#refresh();
  }

  #open(address: HostPort): Replica {
    const replica = new Replica(address, this.#options);
    replica.watch(() => {
      if (replica.seen !== READY) this.#addresses.again();
      this.#refresh();
    });
    return replica;
  }

  #refresh(): void {
    if (this.#order.some(({ seen }) => seen === READY)) this.#enter('connected');
    else if (this.#order.every(({ seen }) => seen === TRANSIENT_FAILURE)) this.#enter('failed');
    else if (this.#state === 'connected' || this.#state === 'failed') this.#wait();
  }

  #wait(): void {
    this.#enter('waiting');
    this.#timer = setTimeout(() => this.#enter('gave_up'), connectWaitMs);
  }

  #enter(state: PoolState): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    clearTimeout(this.#timer);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when the state has changed. */
  #change(lifetime: CallLifetime): Promise<void> {
    return lifetime.race(new Promise<void>((resolve) => void this.#waiting.add(resolve)));
  }

  #nobody(): ServiceError {
    const nameless = this.#order.length === 0;
    const details = nameless
      ? `${this.#addresses.names.join(', ')}: the name has no address`
      : `nobody has answered within ${connectWaitMs} ms`;
    return Object.assign(new Error(details), { code: status.UNAVAILABLE, details, metadata: new Metadata() });
  }
}
