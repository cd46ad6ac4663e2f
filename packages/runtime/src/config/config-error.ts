import type { PlacedParts } from './named-parts.ts';

/**
 * The configuration cannot be used. `problems` holds one line per problem, in the order found, and `message` all of
 * them; none repeats a value that could be a credential.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly file: string;
  readonly problems: readonly string[];
  /** The same as they stand in the file, with `file:line:column: ` before each, as far as a problem has a place there. */
  readonly located: readonly string[];
  /** What the file names all the same; undefined if it could not be read as YAML. */
  readonly named: PlacedParts | undefined;

  constructor(file: string, problems: readonly string[], located = problems, named?: PlacedParts) {
    super(problems.join('\n'));
    this.file = file;
    this.problems = problems;
    this.located = located;
    this.named = named;
  }

  /**
   * What a program prints before it exits: one line per problem, each with the file it is in. Rules are many and alike, so theirs have line and
   * column as well.
   */
  report(): string {
    return this.problems.map((problem) => `Failed to load config: ${this.#inFile(problem)}`).join('\n');
  }

  #inFile(problem: string): string {
    const isOfRules = problem.startsWith('approvals');
    const placed = isOfRules ? this.located.find((one) => one.endsWith(`: ${problem}`)) : undefined;
    return placed ?? (problem.includes(this.file) ? problem : `${this.file}: ${problem}`);
  }
}
