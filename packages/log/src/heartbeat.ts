/**
 * Liveness by heartbeat.
 *
 * 1. A process renews every third of the time to live. Another one counts as dead when its counter has not moved for a
 *    whole time to live of the observer's own monotonic clock while the store answered throughout; after an outage
 *    everybody gets a fresh time to live.
 * 2. An instance that said that it leaves is dead at once: it says so only when it does nothing any more.
 * 3. A process that renames itself (see `Standing`) does so when the time between sending one renewal and having the next
 *    confirmed is more than `lapseShare` of the time to live. Nobody can have taken it for dead before: whoever saw the first
 *    renewal at all saw it after it was sent, and waits for a whole time to live. What is left of the time to live is for
 *    store replicas that show a renewal late.
 * 4. A process that has heard no answer for a whole time to live, and so cannot act, does not renew before it has heard one:
 *    otherwise heartbeats that arrive while their answers do not would keep alive what stands still.
 * 5. A process that stood still itself, for more than `standstillShare` of the time to live, has not watched meanwhile, and
 *    what held it up may hold others up too: it says nothing about others before it has watched them anew.
 * 6. Whoever judges goes by what the store told it within the last time to live. So `settledShare` of the time to live after a
 *    process was first heard of under an id, nobody takes it for dead for what became of a former one.
 * 7. For the same reason a process that keeps its id, and may have been taken for dead, begins nothing that must not run twice
 *    until `settledShare` of the time to live after it was heard of again: somebody may still take over what it has.
 */

import type { views } from '@stopgo/proto';
import type { Clock } from './clock.ts';
import { idInLife, type Liveness, type Peer, type Standing } from './liveness.ts';

/** What the store answers to a heartbeat. */
export type Pulse = {
  readonly instances: readonly (Peer & { readonly left?: boolean })[];
  /** An instance that is not listed is known to be dead. */
  readonly complete: boolean;
};

/** Tells the store that this process is alive, or that it leaves, and learns who else is. */
export type Beat = (
  self: Peer & { readonly leaving: boolean; readonly waits?: readonly views.RunWait[] },
  signal: AbortSignal,
) => Promise<Pulse>;

export type HeartbeatOptions = {
  readonly beat: Beat;
  readonly clock: Clock;
  /** Time to live, in milliseconds: the same for all processes. */
  readonly ttlMs: number;
  /** Id of this process; never used twice. */
  readonly instance: string;
  readonly role: string;
  /** Where it can be called; may be told later. */
  readonly address?: string;
  /** It takes a new id whenever it may have been taken for dead. */
  readonly renames?: boolean;
  /** What runs wait for at this process; told with each renewal. */
  readonly waits?: () => readonly views.RunWait[];
};

/** Part of the time to live after which a process that was not heard of may have been taken for dead. */
const lapseShare = 3 / 4;
/** Part of the time to live after which everybody who judges knows of an id; what is beyond one is for replicas that show it late. */
const settledShare = 5 / 4;
/**
 * Part of the time to live by which a timer is late, or an answer takes longer than any is waited for, before this process
 * takes itself for having stood still.
 */
const standstillShare = 1 / 2;
/** Shortest pause between renewals, and the pause after one that failed: a part of the time to live, at most so many milliseconds. */
const againShare = 1 / 10;
const againMsMax = 500;
/** Asks who is alive, without a heartbeat of one's own. */
const question = { instance: '', role: '', address: '', counter: 0, leaving: false };
/** Instances that are gone and still remembered. */
const goneMax = 1_000;
/** How long a process that leaves waits for the store to hear of it, in milliseconds. */
const leaveMs = 1_000;

export class Heartbeat implements Liveness, Standing {
  readonly ttlMs: number;
  readonly #beat: Beat;
  readonly #clock: Clock;
  readonly #role: string;
  readonly #firstInstance: string;
  readonly #renames: boolean;
  readonly #waits: () => readonly views.RunWait[];
  readonly #ids = new Set<string>();
  readonly #seen = new Map<string, { readonly peer: Peer; readonly since: number }>();
  readonly #missing = new Map<string, number>();
  readonly #left = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #stopped = new AbortController();
  #id: string;
  #address: string;
  #counter = 0;
  #isComplete = false;
  /** This process has stood still since it was last told who is alive. */
  #hasStoodStill = false;
  /** When the last renewal that was confirmed was sent, and the last one under the present id. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #ownAt = Number.NEGATIVE_INFINITY;
  /** Until when somebody may still take this process for dead for a time before it was heard of again. */
  #doubtedUntil = Number.NEGATIVE_INFINITY;
  /** When the first renewal under the present id was confirmed. */
  #knownAt = Number.POSITIVE_INFINITY;

  constructor(options: HeartbeatOptions) {
    const { beat, clock, ttlMs, instance, role, address = '', renames = false, waits = () => [] } = options;
    this.#beat = beat;
    this.#clock = clock;
    this.ttlMs = ttlMs;
    this.#id = instance;
    this.#firstInstance = instance;
    this.#ids.add(instance);
    this.#role = role;
    this.#address = address;
    this.#renames = renames;
    this.#waits = waits;
  }

  get instance(): string {
    return this.#id;
  }

  hasBeen(instance: string): boolean {
    return this.#ids.has(instance);
  }

  /** From the next renewal on this process can be called there. */
  listensAt(address: string): void {
    this.#address = address;
  }

  /** Renews until stopped. `onBeat` is called after each renewal that was confirmed. */
  async run(onBeat: () => void): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const began = this.#clock.monotonic();
      const isConfirmed = await this.renew();
      if (isConfirmed) onBeat();
      const soonMs = Math.min(this.ttlMs * againShare, againMsMax);
      // From one sending to the next, whatever an answer takes: a store that is slow must not look like a process that lapses.
      const restMs = this.ttlMs / 3 - (this.#clock.monotonic() - began);
      // Where one replica of the store does not answer, the next one is asked before anybody counts as dead.
      const pauseMs = isConfirmed ? Math.max(soonMs, restMs) : soonMs;
      const due = this.#clock.monotonic() + pauseMs;
      await this.#clock.sleep(pauseMs, this.#stopped.signal).catch(() => undefined);
      if (this.#hasStoodStillSince(due)) this.#hasStoodStill = true;
    }
  }

  /** Renews no more, without a word: others find out after a time to live. */
  stop(): void {
    this.#stopped.abort(new Error('the heartbeat has stopped'));
    this.#wake();
  }

  /**
   * Stops, and tells the store that this process has left. To be called when it does nothing any more: from here on others
   * take over what it had. Never rejects; if the store does not hear of it, others find out after a time to live.
   */
  async leave(): Promise<void> {
    this.stop();
    const enough = new AbortController();
    const timer = this.#clock.sleep(leaveMs, enough.signal).then(
      () => enough.abort(),
      () => undefined,
    );
    await this.#beat(this.#self(true), enough.signal).catch(() => undefined);
    enough.abort();
    await timer;
  }

  /** Renews once; true if it was confirmed. */
  async renew(): Promise<boolean> {
    // What counts is when the renewal was sent: an observer may have seen it at any time since.
    let sentAt = this.#clock.monotonic();
    if (this.#renames && this.#hasLapsedAt(sentAt)) this.#rename();
    this.#counter += 1;
    const previous = this.#confirmedAt;
    const isDeaf = previous !== Number.NEGATIVE_INFINITY && !this.#isReachable();
    let pulse: Pulse;
    try {
      if (isDeaf) await this.#beat(question, this.#stopped.signal);
      sentAt = this.#clock.monotonic();
      pulse = await this.#beat(this.#self(false), this.#stopped.signal);
    } catch {
      return false;
    }
    if (this.#hasStoodStillSince(sentAt)) this.#hasStoodStill = true;
    this.#observe(pulse, this.#hasStoodStill || sentAt - previous > this.ttlMs);
    this.#hasStoodStill = false;
    this.#confirmedAt = sentAt;
    const heardAt = this.#clock.monotonic();
    if (this.#renames && this.#hasLapsedAt(heardAt)) {
      // It came through, maybe too late: the next renewal is the first one under another id.
      this.#rename();
      return false;
    }
    if (!pulse.complete && this.#hasLapsedAt(heardAt)) this.#doubtedUntil = heardAt + this.ttlMs * settledShare;
    if (this.#knownAt === Number.POSITIVE_INFINITY) this.#knownAt = heardAt;
    this.#ownAt = sentAt;
    this.#wake();
    return true;
  }

  isFresh(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#ownAt < this.ttlMs / 2 && now >= this.#doubtedUntil;
  }

  async mayAct(instance: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (instance !== this.#id || this.#stopped.signal.aborted) return false;
      if (this.isFresh()) return true;
      await this.renewed(signal);
    }
  }

  async renamed(instance: string, signal: AbortSignal): Promise<void> {
    while (instance === this.#id) await this.renewed(signal);
  }

  async settled(signal: AbortSignal): Promise<string> {
    while (!this.isFresh() || this.#clock.monotonic() - this.#knownAt < this.ttlMs * settledShare)
      await this.renewed(signal);
    return this.#id;
  }

  renewed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const wake = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = (): void => {
        this.#waiting.delete(wake);
        reject(signal.reason);
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }

  isDead(instance: string): boolean {
    if (this.#left.has(instance)) return true;
    // Without an answer of the store nobody can be told dead.
    const now = this.#confirmedAt;
    if (now === Number.NEGATIVE_INFINITY || !this.#isReachable()) return false;
    const seen = this.#seen.get(instance);
    if (seen !== undefined) return now - seen.since >= this.ttlMs;
    if (this.#isComplete) return true;
    const since = this.#missing.get(instance);
    if (since === undefined) remember(this.#missing, instance, now);
    return since !== undefined && now - since >= this.ttlMs;
  }

  alive(role: string): readonly Peer[] {
    const peers = [...this.#seen.values()].map(({ peer }) => peer);
    return peers.filter((peer) => peer.role === role && !this.isDead(peer.instance));
  }

  async died(instance: string, signal: AbortSignal): Promise<void> {
    while (!this.isDead(instance)) await this.renewed(signal);
  }

  #self(leaving: boolean): Parameters<Beat>[0] {
    const waits = leaving ? [] : this.#waits();
    const peer = { instance: this.#id, role: this.#role, address: this.#address, counter: this.#counter };
    return { ...peer, leaving, ...(waits.length === 0 ? {} : { waits }) };
  }

  #isReachable(): boolean {
    return this.#clock.monotonic() - this.#confirmedAt < this.ttlMs;
  }

  /** True if what was to happen at a moment, or soon after it, is only happening now, and far too late. */
  #hasStoodStillSince(due: number): boolean {
    return this.#clock.monotonic() - due > this.ttlMs * standstillShare;
  }

  /** True if somebody may have taken this process for dead under its present id by then. */
  #hasLapsedAt(at: number): boolean {
    return this.#ownAt !== Number.NEGATIVE_INFINITY && at - this.#ownAt >= this.ttlMs * lapseShare;
  }

  /** Nothing is confirmed under the new id until it is announced, by the next renewal. */
  #rename(): void {
    this.#id = idInLife(this.#firstInstance, this.#ids.size);
    this.#ids.add(this.#id);
    this.#ownAt = Number.NEGATIVE_INFINITY;
    this.#knownAt = Number.POSITIVE_INFINITY;
    this.#wake();
  }

  #wake(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of all) wake();
  }

  /** `anew`: what was known before counts for nothing, and everybody who is listed gets a fresh time to live. */
  #observe(pulse: Pulse, anew: boolean): void {
    const now = this.#clock.monotonic();
    if (anew) this.#missing.clear();
    this.#isComplete = pulse.complete;
    const listed = new Set<string>();
    for (const { left = false, ...peer } of pulse.instances) {
      const { instance, counter } = peer;
      if (left) {
        remember(this.#left, instance);
        this.#seen.delete(instance);
        continue;
      }
      listed.add(instance);
      const known = this.#seen.get(instance);
      const isHeard = known === undefined || known.peer.counter !== counter || anew;
      this.#seen.set(instance, { peer, since: isHeard ? now : known.since });
      this.#missing.delete(instance);
    }
    for (const [instance, { since }] of this.#seen) {
      if (listed.has(instance)) continue;
      this.#seen.delete(instance);
      // A store that forgot it has not heard of it since either.
      if (!this.#left.has(instance)) remember(this.#missing, instance, anew ? now : since);
    }
  }
}

function remember(kept: Set<string>, instance: string): void;
function remember(kept: Map<string, number>, instance: string, since: number): void;
function remember(kept: Set<string> | Map<string, number>, instance: string, since = 0): void {
  if (kept instanceof Map) kept.set(instance, since);
  else kept.add(instance);
  const oldest = kept.keys().next().value;
  if (kept.size > goneMax && oldest !== undefined) kept.delete(oldest);
}
