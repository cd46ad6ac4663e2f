import { sendsMax, sendsPerHostMax, waitingPerHostMax } from './bounds.ts';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

type Waiting = { readonly begin: () => void };

/**
 * How many notifications are on their way at the same time: some in all, few to one host. Hosts take turns, so that one that
 * answers nothing keeps nobody else waiting.
 */
export class SendSlots {
  readonly #active = new Map<string, number>();
  /** Hosts that somebody waits for; whose turn is next is first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #max: number;
  readonly #perHostMax: number;
  readonly #waitingMax: number;
  #count = 0;

  constructor(max = sendsMax, perHostMax = sendsPerHostMax, waitingMax = waitingPerHostMax) {
    this.#max = max;
    this.#perHostMax = perHostMax;
    this.#waitingMax = waitingMax;
  }

  /** True if one more send to the address would not begin at once. */
  isFull(url: string): boolean {
    return this.#count >= this.#max || (this.#active.get(hostOf(url)) ?? 0) >= this.#perHostMax;
  }

  /** True if so many wait to send to the host of the address that one more does better to come back later. */
  isCrowded(url: string): boolean {
    return (this.#waiting.get(hostOf(url))?.length ?? 0) >= this.#waitingMax;
  }

  /** Does what holds a slot, once there is one. Rejects as that does, and when the signal aborts before. */
  async within<T>(url: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const host = hostOf(url);
    await this.#slot(host, signal);
    try {
      return await work();
    } finally {
      this.#count -= 1;
      const left = (this.#active.get(host) ?? 1) - 1;
      if (left === 0) this.#active.delete(host);
      else this.#active.set(host, left);
      this.#next();
    }
  }

  #slot(host: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        const others = (this.#waiting.get(host) ?? []).filter((one) => one !== waiting);
        if (others.length === 0) this.#waiting.delete(host);
        else this.#waiting.set(host, others);
        reject(signal.reason);
      };
      const waiting = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      const line = this.#waiting.get(host);
      if (line === undefined) this.#waiting.set(host, [waiting]);
      else line.push(waiting);
      this.#next();
    });
  }

  /** Gives every slot that is free to who may have it. */
  #next(): void {
    for (const [host, [first, ...others]] of this.#waiting) {
      if (this.#count >= this.#max) return;
      const active = this.#active.get(host) ?? 0;
      if (first === undefined || active >= this.#perHostMax) continue;
      this.#count += 1;
      this.#active.set(host, active + 1);
      // To the end: the others first. The loop comes by here again.
      this.#waiting.delete(host);
      if (others.length > 0) this.#waiting.set(host, others);
      first.begin();
    }
  }
}
