/**
 * Room for so many bytes at the same time. Who wants more than is free waits for its turn; nobody who came later is let in before. Who
 * wants more than there is at all gets in alone.
 */
export class Room {
  readonly #size: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #taken = 0;

  constructor(bytes: number) {
    this.#size = bytes;
  }

  /** Resolves with what gives the room back, once there is room. Rejects with the signal's reason if that aborts first. */
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const wanted = Math.min(bytes, this.#size);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        reject(signal.reason);
        this.#admit();
      };
      const one = {
        bytes: wanted,
        enter: () => {
          // The signal may outlive many that were let in.
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiting.push(one);
      signal.addEventListener('abort', leave, { once: true });
      this.#admit();
    });
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken -= wanted;
      this.#admit();
    };
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#taken + first.bytes > this.#size) return;
      this.#taken += first.bytes;
      this.#waiting.shift();
      first.enter();
    }
  }
}
