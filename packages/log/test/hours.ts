import type { Beat, Clock, Peer } from '../src/index.ts';

/** A clock that stands still until it is told to go on. */
export class HandClock implements Clock {
  private at = 0;
  private sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.at;
  }

  monotonic(): number {
    return this.at;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.sleepers.push({ until: this.at + ms, wake: resolve });
    });
  }

  /** Lets time pass, without anybody noticing before it is over: as for a process that was frozen meanwhile. */
  async pass(ms: number): Promise<void> {
    this.at += ms;
    const due = this.sleepers.filter(({ until }) => until <= this.at);
    this.sleepers = this.sleepers.filter(({ until }) => until > this.at);
    for (const { wake } of due) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The list of heartbeats, as a store keeps it: it judges nobody. */
export class HeartbeatList {
  isAway = false;
  isComplete = false;
  /** Time that passes before a heartbeat is answered. */
  answer: () => Promise<void> = () => Promise.resolve();
  private readonly peers = new Map<string, Peer & { readonly left: boolean }>();

  readonly beat: Beat = async ({ leaving, ...peer }) => {
    if (this.isAway) throw new Error('the store is away');
    if (peer.instance !== '') this.peers.set(peer.instance, { ...peer, left: leaving });
    const instances = [...this.peers.values()];
    await this.answer();
    return { instances, complete: this.isComplete };
  };

  /** What is known of an instance; undefined if nothing is. */
  of(instance: string): (Peer & { readonly left: boolean }) | undefined {
    return this.peers.get(instance);
  }

  forget(): void {
    this.peers.clear();
  }
}
