/** Kinds of lines of one level that are kept: warnings, whose texts may come from outside, push out no error. */
const alarmsMax = 50;
/** Characters of a message; the rest is left out. */
const messageCharactersMax = 1_000;
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
  readonly #kinds = { warn: new Map<string, Alarm>(), error: new Map<string, Alarm>() };

  note(level: Alarm['level'], text: string, fieldsJson: string, now: number): void {
    const message = text.length > messageCharactersMax ? `${text.slice(0, messageCharactersMax)}…` : text;
    const kinds = this.#kinds[level];
    const before = kinds.get(message);
    // Written anew, it is the latest.
    kinds.delete(message);
    kinds.set(message, {
      level,
      message,
      fieldsJson: fieldsJson.length > fieldsCharactersMax ? '{}' : fieldsJson,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
    });
    // Of more kinds the one that was written longest ago is forgotten.
    const [oldest] = kinds.keys();
    if (kinds.size > alarmsMax && oldest !== undefined) kinds.delete(oldest);
  }

  /** The latest first. */
  list(): readonly Alarm[] {
    const all = [...this.#kinds.error.values(), ...this.#kinds.warn.values()];
    return all.reverse().sort((a, b) => b.lastAt - a.lastAt);
  }
}
