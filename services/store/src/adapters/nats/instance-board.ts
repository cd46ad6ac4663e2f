// The heartbeats of all processes, shared by all replicas of the store.
//
// 1. They live in a key/value bucket in the memory of the server: a heartbeat that needed the disk would wait behind appends.
// 2. A heartbeat is answered once the watch of the bucket has delivered it: all that was said before it came first.
// 3. The bucket goes with its server. Whoever misses it makes it anew, and its revisions begin again: a watch that has seen
//    higher ones is of the bucket that is gone, and shows nothing any more.
// 4. In a cluster a bucket in memory can stay without a leader after several restarts. One that does is thrown away: what
//    lives renews its heartbeat, and nobody is taken for dead for a missing one before its time to live is over.
// 5. While too few servers of a cluster are there for as many copies as configured, it is made with one, and keeps one until it
//    is made anew: heartbeats must not wait until a server is back.
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import { DomainError, sha256Hex, unavailable } from '@stopgo/core';
import { create, store, toBinary, type views } from '@stopgo/proto';
import { instancesMax } from '../../bounds.ts';
import { type Beat, type InstanceBoard, type Posted, postedOf } from '../../instance-board.ts';
import { checkBeat } from '../../instances.ts';
import { askMsMax, beatKeptMs, beatSeenMsMax, beatTriesMax, electedMsMax, retryAfterMs, stuckMsMax } from './bounds.ts';
import { BucketWatch, beatKeys } from './bucket-watch.ts';
import type { NatsLink } from './link.ts';

export type BoardLink = Pick<NatsLink, 'connection' | 'address' | 'ask' | 'onBack'>;

export type BoardOptions = {
  readonly link: BoardLink;
  /** Name of the stream of the event log: each log has a board of its own. */
  readonly stream: string;
  readonly replicas: number;
  /** Tells this replica of the store from the others. */
  readonly replica: string;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
};

type Opened = { readonly bucket: KV; readonly watch: BucketWatch };

/** The heartbeats in a bucket of NATS. */
export class NatsInstanceBoard implements InstanceBoard {
  /** A process that is in no heartbeat may have told one that was lost with the server. */
  readonly complete = false;
  readonly #options: BoardOptions;
  readonly #notBack: () => void;
  #opened: Promise<Opened> | undefined;
  /** Of the bucket that was opened last. */
  #watch: BucketWatch | undefined;
  /**
   * Since when failures have followed each other, though the server is there; undefined: none since the last success. It counts only
   * while the last failure is recent.
   */
  #stuckSince: number | undefined;
  /** When one could not be written last. */
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When this replica made the bucket last, tried to, or threw it away. */
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#notBack = options.link.onBack(() => {
      this.#stuckSince = undefined;
      this.#forget();
    });
  }

  async beat({ leaving, ...beat }: Beat & { readonly leaving: boolean }): Promise<readonly Posted[]> {
    checkBeat(beat);
    for (let tries = 1; ; tries++) {
      const opening = this.#opened ?? this.#open();
      this.#opened = opening;
      // Whoever still waits for the connection does not see yet that it failed.
      opening.catch(() => undefined);
      try {
        const found = await this.#options.link.ask(async () => this.#post(await opening, beat, leaving));
        if (found !== undefined) {
          this.#stuckSince = undefined;
          return found;
        }
      } catch (error) {
        this.#forget(opening);
        if (!(error instanceof DomainError)) this.#failed();
        if (error instanceof DomainError || tries === beatTriesMax) throw this.#failure(error);
      }
      this.#forget(opening);
      if (tries === beatTriesMax) throw this.#failure(undefined);
    }
  }

  waits(): readonly views.RunWait[] {
    // A replica that nobody sends heartbeats to looks for itself, from now on.
    if (this.#opened === undefined) {
      const opening = this.#open();
      this.#opened = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#watch?.waits() ?? [];
  }

  /** Ends the watch. */
  close(): void {
    this.#notBack();
    this.#forget();
  }

  /** Undefined if the watch does not show what was just said: it is of a bucket that is gone. */
  async #post({ bucket, watch }: Opened, beat: Beat, left: boolean): Promise<readonly Posted[] | undefined> {
    const { instance } = beat;
    const before = watch.seen;
    // A question is an entry too, in a place of its own: when it comes back, so did all before it.
    const [key, value] =
      instance === ''
        ? [`asks.${this.#options.replica}`, new Uint8Array()]
        : [
            `${beatKeys}.${sha256Hex(instance)}`,
            toBinary(store.InstanceSchema, create(store.InstanceSchema, postedOf(beat, left))),
          ];
    const revision = await bucket.put(key, value, { timeout: askMsMax });
    if (revision <= before || !(await watch.reached(revision, beatSeenMsMax))) return undefined;
    return watch.posted();
  }

  async #open(): Promise<Opened> {
    const { link, stream, now } = this.#options;
    const name = `${stream}_INSTANCES`;
    const client = jetstream(link.connection, { timeout: askMsMax });
    if (this.#isStuck()) await this.#throwAway(name);
    const bucket = await new Kvm(client).open(name);
    const watched = () => bucket.watch();
    const entries = await watched().catch(async (error: unknown) => {
      if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error;
      await this.#make(name);
      return watched();
    });
    const watch = new BucketWatch(entries, now);
    this.#watch = watch;
    return { bucket, watch };
  }

  /** A failure long after the one before says nothing of the time between: others may have been answered elsewhere. */
  #failed(): void {
    const now = this.#options.now();
    if (now - this.#failedAt > stuckMsMax) this.#stuckSince = now;
    this.#stuckSince ??= now;
    this.#failedAt = now;
  }

  /** One that has just been made is left the time for its election: with the next one, that would begin anew. */
  #isStuck(): boolean {
    const now = this.#options.now();
    if (this.#stuckSince === undefined || now - this.#failedAt > stuckMsMax) return false;
    return now - this.#stuckSince >= stuckMsMax && now - this.#madeAt >= electedMsMax;
  }

  async #throwAway(name: string): Promise<void> {
    // Whichever replica makes the next one, this one leaves it its time; another may throw it away once.
    this.#madeAt = this.#options.now();
    const manager = await this.#manager();
    await manager.streams.delete(`KV_${name}`).catch(() => false);
  }

  #manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.#options.link.connection, { timeout: askMsMax, checkAPI: false });
  }

  async #make(name: string): Promise<void> {
    const { replicas, now } = this.#options;
    const manager = await this.#manager();
    this.#madeAt = now();
    try {
      await manager.streams.add(bucketConfig(name, replicas));
    } catch (error) {
      if (!isShortOfServers(error)) throw error;
      await manager.streams.add(bucketConfig(name, 1));
    }
  }

  /** The next heartbeat begins anew: with this one, or with whichever there is. */
  #forget(opened: Promise<Opened> | undefined = this.#opened): void {
    if (opened === undefined) return;
    if (this.#opened === opened) this.#opened = undefined;
    opened.then(
      ({ watch }) => watch.stop(),
      () => undefined,
    );
  }

  #failure(cause: unknown): Error {
    if (cause instanceof DomainError) return cause;
    return unavailable(
      `the heartbeats in NATS at ${this.#options.link.address} cannot be read or written now; try again`,
      {},
      { cause, retryAfterMs },
    );
  }
}

/** As a bucket is, but with a bound that drops the oldest instead of refusing the newest. */
function bucketConfig(name: string, replicas: number) {
  return {
    name: `KV_${name}`,
    description: 'The heartbeats of the processes of Stop and Go.',
    subjects: [`$KV.${name}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.Memory,
    max_msgs_per_subject: 1,
    // As many questions as heartbeats.
    max_msgs: 2 * instancesMax,
    max_age: nanos(beatKeptMs),
    discard: DiscardPolicy.Old,
    num_replicas: replicas,
    allow_rollup_hdrs: true,
    allow_direct: true,
  };
}

/** The server's word for it ("no suitable peers for placement"). */
const noPeersForPlacement = 10005;

function isShortOfServers(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === noPeersForPlacement;
}
