/** Walks what asks somebody in the order of its keys, by any number of words: what is read grows with what is taken, not with the words. */

/** An approval by a word that somebody has; `isAsked`: they may decide it by this word now. */
export type AskedKey = { readonly key: number; readonly isAsked: boolean };

/** What one word finds: keys above one, in order, so many at most. */
export type ReadLane = (after: number, limit: number) => readonly AskedKey[];

/** Keys of one word that are read at a time: few at first, since most words are left soon. */
const firstRead = 4;
const readMax = 64;

/** The keys of one word. `key` is the one that it stands at. */
class Lane {
  readonly #read: ReadLane;
  #rows: readonly AskedKey[] = [];
  #index = 0;
  #size = firstRead;
  #isLast = false;
  key: number;

  /** `first`: the first key that there is. Nothing is read before it is reached. */
  constructor(read: ReadLane, first: number) {
    this.#read = read;
    this.key = first;
  }

  /** What it stands at; then it stands at the next. Infinity: there is none. */
  take(): boolean {
    if (this.#index === this.#rows.length) this.#readAfter(this.key - 1);
    const isAsked = this.#rows[this.#index]?.isAsked === true;
    this.#index += 1;
    if (this.#index === this.#rows.length && !this.#isLast) this.#readAfter(this.key);
    this.key = this.#rows[this.#index]?.key ?? Number.POSITIVE_INFINITY;
    return isAsked;
  }

  #readAfter(key: number): void {
    this.#rows = this.#read(key, this.#size);
    this.#index = 0;
    this.#isLast = this.#rows.length < this.#size;
    this.#size = Math.min(this.#size * 2, readMax);
  }
}

/** The words that find something, each with the first key that it finds. */
export type LaneStart = { readonly read: ReadLane; readonly first: number };

/** Keys of all lanes in order, each once: asked if it is by one of them. */
export class AskedWalk {
  /** A heap: the lane that stands at the least key is the first. */
  readonly #lanes: Lane[];

  constructor(starts: readonly LaneStart[]) {
    // What is sorted is a heap.
    this.#lanes = [...starts].sort((a, b) => a.first - b.first).map(({ read, first }) => new Lane(read, first));
  }

  /** The next keys, so many at most; fewer only where there are no more. */
  take(limit: number): readonly AskedKey[] {
    const taken: AskedKey[] = [];
    for (let lane = this.#lanes[0]; lane !== undefined && taken.length < limit; lane = this.#lanes[0]) {
      const { key } = lane;
      let isAsked = false;
      for (let same: Lane | undefined = lane; same?.key === key; same = this.#lanes[0]) {
        isAsked = same.take() || isAsked;
        this.#settleFirst(same);
      }
      taken.push({ key, isAsked });
    }
    return taken;
  }

  /** Puts the first lane, which went on, where it belongs; or leaves it out, if it is at its end. */
  #settleFirst(first: Lane): void {
    const lanes = this.#lanes;
    let moved: Lane | undefined = first;
    if (first.key === Number.POSITIVE_INFINITY) {
      const last = lanes.pop();
      moved = last === first ? undefined : last;
    }
    if (moved === undefined) return;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const less = (lanes[right]?.key ?? Number.POSITIVE_INFINITY) < (lanes[left]?.key ?? 0) ? right : left;
      const child = lanes[less];
      if (child === undefined || child.key >= moved.key) {
        lanes[at] = moved;
        return;
      }
      lanes[at] = child;
      at = less;
    }
  }
}
