import type { RawArguments } from '@stopgo/tool-server';
import { optionalInteger } from './arguments.ts';
import { results, resultsMax, searchAnswerLengthMax, searchSecondsMax } from './bounds.ts';
import type { Call } from './call.ts';
import type { Walk } from './tree-walk.ts';

/** What grep and glob have found so far, and when they have to stop. */
export class Search<Match extends object> {
  readonly walk: Walk;
  readonly #matches: Match[] = [];
  readonly #resultsMax: number;
  readonly #deadline: number;
  readonly #call: Call;
  #length = 0;
  #truncated = false;
  #timedOut = false;

  constructor(call: Call) {
    const { given } = call;
    this.#call = call;
    this.#resultsMax = optionalInteger(given, 'max_results', { min: 1, max: resultsMax }) ?? results;
    const seconds = optionalInteger(given, 'timeout_seconds', { min: 0, max: searchSecondsMax }) ?? searchSecondsMax;
    this.#deadline = call.monotonicMs() + seconds * 1_000;
    this.walk = { folders: call.folders, depthMax: depthOf(given), tooDeep: false };
  }

  /** True once there is nothing more to look for. Throws when the client gave the call up. */
  isOver(): boolean {
    this.#call.signal.throwIfAborted();
    this.#timedOut ||= this.#call.monotonicMs() >= this.#deadline;
    return this.#timedOut || this.#truncated;
  }

  add(match: Match): void {
    this.#matches.push(match);
    this.#length += JSON.stringify(match).length;
    this.#truncated = this.#matches.length >= this.#resultsMax || this.#length >= searchAnswerLengthMax;
  }

  /** Matches in the order in which they were found. `truncated`: the search ended before all was looked at. */
  answer(): {
    readonly matches: Match[];
    readonly total_matches: number;
    readonly truncated: boolean;
    readonly timed_out: boolean;
  } {
    const matches = this.#matches;
    const truncated = this.#truncated || this.walk.tooDeep;
    return { matches, total_matches: matches.length, truncated, timed_out: this.#timedOut };
  }
}

/** With 0 the files of the folder itself and of the folders in it, with each more one level more; below 0 is without end. */
function depthOf(given: RawArguments): number {
  const all = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  const depth = optionalInteger(given, 'max_depth', all) ?? -1;
  return depth < 0 ? Number.POSITIVE_INFINITY : depth;
}
