/** Runs tasks in the order they came, a bounded number of them at once. */
export class CallQueue {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  /** `atOnceMax`: tasks that run at the same time. `waitingMax`: tasks that may wait beside them. */
  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** True if no further task may be added now. */
  get full(): boolean {
    return this.#running >= this.#atOnceMax && this.#waiting.size >= this.#waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Adds a task, which must not throw. What it returns takes the task out again; false if it has begun. */
  add(task: () => Promise<void>): () => boolean {
    const start = () => {
      this.#running += 1;
      void task().finally(() => {
        this.#running -= 1;
        this.#next();
      });
    };
    this.#waiting.add(start);
    this.#next();
    return () => this.#waiting.delete(start);
  }

  #next(): void {
    if (this.#running >= this.#atOnceMax) return;
    const [start] = this.#waiting;
    if (start === undefined) return;
    this.#waiting.delete(start);
    start();
  }
}
