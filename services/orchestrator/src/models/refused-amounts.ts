import { shownSizes, withoutMedia } from './media.ts';
import type { ModelRequest } from './port.ts';

/** For how long a provider is taken at its word about what is no fault of a picture; milliseconds. */
export const forgottenMs = 3_600_000;
/** Refusals that are remembered of a model. */
const refusalsMax = 10;

const asMuchRefused = 'the provider of this model refused a request that showed as much';

/** A request with so many words, or more, may show so much. */
type Bound = {
  /** What is counted: media, or their bytes together. */
  readonly by: 'count' | 'bytes';
  readonly most: number;
  /** Of the refused request, in characters. A request with fewer may show more: both have to go into what a model takes. */
  readonly words: number;
  /** On the clock. */
  readonly since: number;
};

/**
 * How much media one model refused, though none of them was at fault, for {@link forgottenMs}. Each such refusal costs a request of many
 * megabytes, and the next request of the conversation would meet it again.
 */
export class RefusedAmounts {
  #bounds: readonly Bound[] = [];
  readonly #now: () => number;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A request was refused for how many media it shows, or for their bytes. From now on half of it is shown; of one that is alone, less. */
  refuse(asked: ModelRequest, by: Bound['by']): void {
    const sizes = shownSizes(asked);
    const amount = by === 'count' ? sizes.size : sum(sizes.values());
    const most = sizes.size === 1 ? amount - 1 : Math.floor(amount / 2);
    const words = wordsIn(asked);
    const others = this.#valid().filter((one) => one.by !== by || one.words < words || one.most < most);
    this.#bounds = [...others, { by, most, words, since: this.#now() }].slice(-refusalsMax);
  }

  /** The request with the latest media of which as much was not refused. */
  within(request: ModelRequest): ModelRequest {
    this.#bounds = this.#valid();
    if (this.#bounds.length === 0) return request;
    const words = wordsIn(request);
    const most = (counted: Bound['by']) =>
      Math.min(...this.#bounds.filter((one) => one.by === counted && one.words <= words).map((one) => one.most));
    const left = { count: most('count'), bytes: most('bytes') };
    const kept = new Set<string>();
    for (const [digest, size] of [...shownSizes(request)].toReversed()) {
      if (left.count < 1 || left.bytes < size) continue;
      left.count -= 1;
      left.bytes -= size;
      kept.add(digest);
    }
    return withoutMedia(request, asMuchRefused, ({ digest }) => !kept.has(digest));
  }

  #valid(): readonly Bound[] {
    return this.#bounds.filter(({ since }) => this.#now() - since < forgottenMs);
  }
}

/** How long all is that a request says in words, in characters. */
function wordsIn({ system, messages, tools }: ModelRequest): number {
  const isWords = (key: string, value: unknown) => (key === 'media' || key === 'opaque' ? undefined : value);
  return JSON.stringify([system, messages, tools], isWords).length;
}

function sum(sizes: Iterable<number>): number {
  return [...sizes].reduce((all, size) => all + size, 0);
}
