import type { Random } from './random.ts';

/** What an item does when its time has come; the answer `quiet` says that no code that awaits something was woken by it. */
export type Action = () => unknown;

/** A process of the simulated world. What is scheduled for it waits while it is frozen, and is lost when it dies. */
export class VirtualProcess {
  readonly name: string;
  readonly kind: 'orchestrator' | 'bridge' | 'people';
  isAlive = true;
  /** Virtual time at which it goes on, in milliseconds. */
  frozenUntil = 0;
  /** What its wall clock is wrong by, in milliseconds. */
  readonly skewMs: number;
  /** Calls that others have made to it and that wait for its answer. */
  readonly inbound = new Set<() => void>();

  constructor(name: string, kind: VirtualProcess['kind'], skewMs: number) {
    this.name = name;
    this.kind = kind;
    this.skewMs = skewMs;
  }
}

/** Something that will happen. */
export type Item = { cancel(): void };

type Entry = {
  at: number;
  tie: number;
  readonly owner: VirtualProcess | undefined;
  action: Action | undefined;
};

/**
 * Virtual time. Everything that is pending stands here; the item with the earliest time is next (times are random, so the
 * order is), and code that it wakes runs to its next wait before another item is taken.
 */
export class Scheduler {
  /** Milliseconds since the world began. */
  now = 0;
  steps = 0;
  private readonly heap: Entry[] = [];
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** Schedules an action of a process (or of nobody in particular) after so many milliseconds. */
  after(delayMs: number, owner: VirtualProcess | undefined, action: Action): Item {
    const entry: Entry = { at: this.now + delayMs, tie: this.random.next(), owner, action };
    this.push(entry);
    return {
      cancel: () => {
        entry.action = undefined;
      },
    };
  }

  /** Takes items until the condition holds or there are none. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const entry = this.pop();
      if (entry === undefined) return;
      const { action, owner } = entry;
      if (action === undefined || owner?.isAlive === false) continue;
      this.now = Math.max(this.now, entry.at);
      if (owner !== undefined && owner.frozenUntil > this.now) {
        entry.at = owner.frozenUntil + this.random.next();
        entry.tie = this.random.next();
        this.push(entry);
        continue;
      }
      this.steps += 1;
      if (action() !== 'quiet') await settle();
    }
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      heap[index] = above;
      heap[parent] = entry;
      index = parent;
    }
  }

  private pop(): Entry | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry)) child += 1;
      const below = heap[child] as Entry;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}

/** Lets all code that can go on do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
