/**
 * A value that must not be shown: printing it, putting it into JSON or inspecting it gives `[secret]`.
 * Only {@link Secret.reveal} gives the value, so that a reader finds every place where one is used.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Never log what this returns. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  /** What `util.inspect` and `console.log` print. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
