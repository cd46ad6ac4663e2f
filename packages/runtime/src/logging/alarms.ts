/** Kinds of lines that are kept; of more the one that was written longest ago is forgotten. */
const alarmsMax = 100;
/** Characters of the fields of a line, as JSON. */
const fieldsCharactersMax = 4_096;

/** A line of the log that somebody should look at, and how often it was written. Times are in milliseconds since 1970. */
export type Alarm = {
  readonly level: 'warn' | 'error';
  readonly message: string;
  /** What the last line said beside the message, as JSON; `{}` if it said nothing, or more than can be kept. */
  readonly fieldsJson: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
};

/**
 * The latest lines of level `warn` and `error` of one process, each kind once, in memory. What is noted holds no secret any more: the
 * logger has taken them out.
 */
export class Alarms {
  readonly #kinds = new Map<string, Alarm>();

  note(level: Alarm['level'], message: string, fieldsJson: string, now: number): void {
    const kind = `${level} ${message}`;
    const before = this.#kinds.get(kind);
    // Written anew, it is the latest.
    this.#kinds.delete(kind);
    this.#kinds.set(kind, {
      level,
      message,
      fieldsJson: fieldsJson.length > fieldsCharactersMax ? '{}' : fieldsJson,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
    });
    const [oldest] = this.#kinds.keys();
    if (this.#kinds.size > alarmsMax && oldest !== undefined) this.#kinds.delete(oldest);
  }

  /** The latest first. */
  list(): readonly Alarm[] {
    return [...this.#kinds.values()].reverse();
  }
}
