/** Runs tasks one after the other, in the order they came. */
export class CallQueue {
  readonly #waitingMax: number;
  #last: Promise<void> = Promise.resolve();
  #tasks = 0;

  /** `waitingMax`: tasks that may wait beside the one that runs. */
  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** True if no further task may be added now. */
  get full(): boolean {
    return this.#tasks > this.#waitingMax;
  }

  /** Adds a task, which must not throw. */
  add(task: () => Promise<void>): void {
    this.#tasks += 1;
    this.#last = this.#last.then(task).finally(() => {
      this.#tasks -= 1;
    });
  }

  /** Settles when all tasks added so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
