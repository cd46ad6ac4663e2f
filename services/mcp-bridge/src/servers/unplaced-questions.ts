import type { Logger } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { LineBudget } from '../line-budget.ts';
import type { Unplaced } from '../questions/asking-calls.ts';
import type { ToolProblem } from '../tools/tool-problem.ts';

const reasons: Readonly<Record<Unplaced, string>> = {
  none: 'none is under way',
  several: 'several are under way, and its protocol does not say; give it one call at a time (`concurrency: 1`)',
  ended:
    'one before ended without its answer, and it may still ask for that one; once it has answered, or is connected anew, it can ask',
};

type Told = { count: number; why: Unplaced; readonly lines: LineBudget };

/** Tells what servers asked and nobody was shown, as nobody can tell for which of their calls it was: in the log, and as a problem. */
export class UnplacedQuestions {
  readonly #told = new Map<string, Told>();
  readonly #bounds: Pick<BridgeBounds, 'linesPeriodMs'>;
  readonly #clock: () => number;
  readonly #log: Logger;

  /** `clock`: milliseconds that only grow. */
  constructor(log: Logger, bounds: Pick<BridgeBounds, 'linesPeriodMs'>, clock: () => number) {
    this.#log = log;
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** A server asked, and was told `cancel`. */
  note(server: string, why: Unplaced): void {
    const lines = this.#told.get(server)?.lines ?? new LineBudget(1, this.#bounds.linesPeriodMs, this.#clock);
    this.#told.set(server, { count: (this.#told.get(server)?.count ?? 0) + 1, why, lines });
    if (!lines.admits()) return;
    this.#log.warn(
      `MCP server "${server}" asked something and was told to cancel: nobody can tell for which of its calls (${reasons[why]})`,
    );
  }

  /** What to say of a server. */
  problemsOf(server: string): readonly ToolProblem[] {
    const told = this.#told.get(server);
    if (told === undefined) return [];
    const { count, why } = told;
    const often = count === 1 ? 'once' : `${count} times`;
    return [
      { line: `it asked ${often} and was told to cancel: nobody can tell for which of its calls (${reasons[why]})` },
    ];
  }
}
