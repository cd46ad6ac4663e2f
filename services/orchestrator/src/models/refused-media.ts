import { shownSizes, withoutMedia } from './media.ts';
import type { ModelRequest } from './port.ts';
import { forgottenMs, RefusedAmounts } from './refused-amounts.ts';

/** So many media refused, each alone, and a model that never took any is shown none until {@link forgottenMs} have passed. */
const refusalsMax = 3;
/** Models that are remembered, and media of each in each of its sets. */
const modelsMax = 100;
const mediaMax = 1_000;

/** What a model is told of media that it is not shown. */
const thisRefused = 'the provider of this model refused it';
const oneOfThemRefused = 'the provider of this model refused it or another that was shown with it';
const oneAtATime = `${oneOfThemRefused}; they are shown one at a time`;
const othersRefused = 'the provider of this model refused others before';
const requestRefused = 'the provider of this model refused the request with it';
const tooLarge = 'the provider of this model refused the request as too large with it';

const tooLargeStatus = 413;

/** By digest. What is in none of the sets was never shown, or is forgotten. */
type Known = {
  /** Shown in requests that were answered: never at fault. */
  readonly proven: Set<string>;
  /** Shown in a refused request beside others that were not proven either: one of them is at fault, or several. */
  readonly suspected: Set<string>;
  /** Alone in a refused request, which was answered without it: at fault. */
  readonly refused: Set<string>;
  /** When the latest was refused; on the clock. */
  refusedAt: number;
  /** How much was refused, though nothing in it was at fault. */
  readonly amounts: RefusedAmounts;
};

/**
 * Which media models took and refused, as long as this process lives. A refusal costs a request of many megabytes, and what was refused
 * is in the conversation for good, so a picture that is at fault is not shown again. One that was only beside it must be: where several may
 * be at fault they are shown one at a time, request by request, which finds out. A model that takes none cannot see.
 *
 * Where it is the sum that is refused, all is sound: no more than that is shown for a while.
 */
export class RefusedMedia {
  readonly #models = new Map<string, Known>();
  readonly #now: () => number;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The request without the media that its model would refuse. */
  leaveOut(request: ModelRequest): ModelRequest {
    const known = this.#models.get(request.model);
    if (known === undefined) return request;
    const { proven, suspected, refused, amounts } = known;
    // Not for good: it may have been the length of a prompt each time.
    const isBlind = proven.size === 0 && refused.size >= refusalsMax && this.#now() - known.refusedAt < forgottenMs;
    if (isBlind) return withoutMedia(request, othersRefused);
    const left = withoutMedia(request, thisRefused, ({ digest }) => refused.has(digest));
    const open = unprovenIn(left, known);
    if (!open.some((digest) => suspected.has(digest))) return amounts.within(left);
    const fresh = open.filter((digest) => !suspected.has(digest));
    // A model that can see is shown what is new at once. Of any other it is to be found out soon whether it can.
    const tried = new Set(fresh.length > 0 && proven.size > 0 ? fresh : open.slice(-1));
    return amounts.within(withoutMedia(left, oneAtATime, ({ digest }) => !proven.has(digest) && !tried.has(digest)));
  }

  /** What to ask instead of a request that was refused with this HTTP status: it shows less than that, and may show nothing. */
  lessThan(asked: ModelRequest, status: number): ModelRequest {
    if (status === tooLargeStatus) return withoutLargest(asked);
    const shown = [...shownSizes(asked).keys()];
    const open = unprovenIn(asked, this.#knownOf(asked));
    if (open.length > 1) return withoutMedia(asked, oneOfThemRefused, ({ digest }) => open.includes(digest));
    if (shown.length === open.length) return withoutMedia(asked, thisRefused);
    // The one in question alone tells whether it is at fault, or the sum. If none is, the sum is: the latest are worth most.
    const kept = open.length === 1 ? open : shown.slice(shown.length - Math.floor(shown.length / 2));
    return withoutMedia(asked, requestRefused, ({ digest }) => !kept.includes(digest));
  }

  /** The last that may be asked instead of a request that was refused: it shows nothing. */
  nothingOf(asked: ModelRequest, status: number): ModelRequest {
    return withoutMedia(asked, status === tooLargeStatus ? tooLarge : requestRefused);
  }

  /** A request was refused with this HTTP status, and answered when it showed less; {@link take} was told of that answer before. */
  refuse(asked: ModelRequest, status: number): void {
    const known = this.#knownOf(asked);
    const open = unprovenIn(asked, known);
    const [only] = open;
    if (status === tooLargeStatus) known.amounts.refuse(asked, 'bytes');
    else if (only === undefined) known.amounts.refuse(asked, 'count');
    else if (shownSizes(asked).size > 1) for (const digest of open) remember(known.suspected, digest);
    else {
      known.suspected.delete(only);
      remember(known.refused, only);
      known.refusedAt = this.#now();
    }
  }

  /** A request was answered. What it showed is not at fault, whatever was found before: a provider may not be sure of itself. */
  take(answered: ModelRequest): void {
    const shown = shownSizes(answered);
    if (shown.size === 0) return;
    const known = this.#knownOf(answered);
    for (const digest of shown.keys()) {
      known.suspected.delete(digest);
      known.refused.delete(digest);
      remember(known.proven, digest);
    }
  }

  #knownOf({ model }: ModelRequest): Known {
    const known = this.#models.get(model) ?? {
      ...{ proven: new Set(), suspected: new Set(), refused: new Set(), refusedAt: 0 },
      amounts: new RefusedAmounts(this.#now),
    };
    this.#models.set(model, known);
    forgetOldest(this.#models, modelsMax);
    return known;
  }
}

/** The digests of what the request shows and its model never took, each once, in their order. */
function unprovenIn(request: ModelRequest, { proven }: Known): readonly string[] {
  return [...shownSizes(request).keys()].filter((digest) => !proven.has(digest));
}

/** Without the largest media, until what is left has at most half the bytes: nothing, if there was one. */
function withoutLargest(request: ModelRequest): ModelRequest {
  const sizes = shownSizes(request);
  const most = [...sizes.values()].reduce((sum, size) => sum + size, 0) / 2;
  const out = new Set<string>();
  let left = most * 2;
  for (const [digest, size] of [...sizes].toSorted(([, one], [, other]) => other - one)) {
    if (left <= most) break;
    out.add(digest);
    left -= size;
  }
  return withoutMedia(request, tooLarge, ({ digest }) => out.has(digest));
}

/** The latest to be remembered is the last to be forgotten. */
function remember(digests: Set<string>, digest: string): void {
  digests.delete(digest);
  digests.add(digest);
  forgetOldest(digests, mediaMax);
}

function forgetOldest<Key>(
  kept: { keys(): Iterable<Key>; delete(key: Key): boolean; readonly size: number },
  most: number,
): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
