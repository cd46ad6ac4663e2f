import type { Clock } from './clock.ts';

/** Who is alive, as this process can tell. */
export type Liveness = {
  /** True if the instance is known to have ended, or has not been heard of for its whole time to live. */
  isDead(instance: string): boolean;
  /** True if this process's own last confirmed renewal is young enough to begin a call that must not run twice. */
  isFresh(): boolean;
  /** Resolves when the next renewal is confirmed. Rejects when the signal aborts. */
  renewed(signal: AbortSignal): Promise<void>;
};

/** What the store answers to a heartbeat. */
export type Pulse = {
  readonly instances: readonly { readonly instance: string; readonly counter: number }[];
  /** An instance that is not listed is known to be dead. */
  readonly complete: boolean;
};

/** Tells the store that this process is alive, and learns who else is. */
export type Beat = (counter: number, signal: AbortSignal) => Promise<Pulse>;

/**
 * Liveness by heartbeat. This process renews every third of the time to live. Another one counts as dead when its counter
 * has not moved for a whole time to live of this process's own monotonic clock while the store answered throughout; after
 * an outage everybody gets a fresh time to live.
 */
export class Heartbeat implements Liveness {
  private readonly beat: Beat;
  private readonly clock: Clock;
  private readonly ttlMs: number;
  private readonly seen = new Map<string, { counter: number; since: number }>();
  private readonly missing = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private readonly stopped = new AbortController();
  private counter = 0;
  private isComplete = false;
  private confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(beat: Beat, clock: Clock, ttlMs: number) {
    this.beat = beat;
    this.clock = clock;
    this.ttlMs = ttlMs;
  }

  /** Renews until stopped. `onBeat` is called after each renewal that was confirmed. */
  async run(onBeat: () => void): Promise<void> {
    while (!this.stopped.signal.aborted) {
      if (await this.renew()) onBeat();
      await this.clock.sleep(this.ttlMs / 3, this.stopped.signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.stopped.abort();
  }

  /** Renews once; true if it was confirmed. */
  async renew(): Promise<boolean> {
    // What counts is when the renewal was sent: an observer may have seen it at any time since.
    const sentAt = this.clock.monotonic();
    this.counter += 1;
    const previous = this.confirmedAt;
    try {
      const pulse = await this.beat(this.counter, this.stopped.signal);
      this.observe(pulse, sentAt - previous > this.ttlMs);
      this.confirmedAt = sentAt;
    } catch {
      return false;
    }
    for (const wake of this.waiting) wake();
    this.waiting.clear();
    return true;
  }

  isFresh(): boolean {
    return this.clock.monotonic() - this.confirmedAt < this.ttlMs / 2;
  }

  renewed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const wake = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = (): void => {
        this.waiting.delete(wake);
        reject(signal.reason);
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }

  isDead(instance: string): boolean {
    // Without an answer of the store nobody can be told dead.
    const now = this.confirmedAt;
    if (now === Number.NEGATIVE_INFINITY || !this.isReachable()) return false;
    const seen = this.seen.get(instance);
    if (seen !== undefined) return now - seen.since >= this.ttlMs;
    if (this.isComplete) return true;
    const since = this.missing.get(instance);
    if (since === undefined) this.missing.set(instance, now);
    return since !== undefined && now - since >= this.ttlMs;
  }

  private isReachable(): boolean {
    return this.clock.monotonic() - this.confirmedAt < this.ttlMs;
  }

  private observe(pulse: Pulse, afterOutage: boolean): void {
    const now = this.clock.monotonic();
    if (afterOutage) this.missing.clear();
    this.isComplete = pulse.complete;
    const listed = new Set<string>();
    for (const { instance, counter } of pulse.instances) {
      listed.add(instance);
      const known = this.seen.get(instance);
      if (known === undefined || known.counter !== counter || afterOutage)
        this.seen.set(instance, { counter, since: now });
      this.missing.delete(instance);
    }
    for (const instance of this.seen.keys()) {
      if (listed.has(instance)) continue;
      this.seen.delete(instance);
      this.missing.set(instance, now);
    }
  }
}
