import { byteLength } from '../text/cut.ts';
import { suggest } from '../text/suggest.ts';
import { visibleLine } from '../text/visible.ts';

/** Something in a policy that is wrong. */
export type PolicyProblem = {
  /** Keys and indices on the way to it, from `approvals` on. */
  readonly path: readonly (string | number)[];
  /** What is wrong, with the name of its rule, without the place. */
  readonly message: string;
};

const nameBytesMax = 200;

/** Reads plain data at one place of a policy, and tells what is wrong there. */
export class PolicyReader {
  readonly #problems: PolicyProblem[];
  readonly #path: readonly (string | number)[];
  readonly #rule: string;

  /** The names of the webhooks that there are; undefined: they are not known here. */
  readonly webhooks: readonly string[] | undefined;

  constructor(
    problems: PolicyProblem[],
    path: readonly (string | number)[] = [],
    rule = '',
    webhooks: readonly string[] | undefined = undefined,
  ) {
    this.#problems = problems;
    this.webhooks = webhooks;
    this.#path = path;
    this.#rule = rule;
  }

  /** The reader of what is below. */
  at(key: string | number): PolicyReader {
    return new PolicyReader(this.#problems, [...this.#path, key], this.#rule, this.webhooks);
  }

  /** The same place, as one of the rule of that name. */
  inRule(name: string): PolicyReader {
    return new PolicyReader(this.#problems, this.#path, name, this.webhooks);
  }

  problem(message: string): void {
    const rule = this.#rule === '' ? '' : `rule ${this.quoted(this.#rule)}: `;
    this.#problems.push({ path: this.#path, message: `${rule}${message}` });
  }

  /** A text as it is shown in a problem. */
  quoted(text: string | undefined): string {
    return JSON.stringify(visibleLine((text ?? '').slice(0, 60)));
  }

  /** Whether a text may be a name: one line, that shows all that it holds. */
  isName(text: string): boolean {
    return text !== '' && byteLength(text) <= nameBytesMax && visibleLine(text) === text;
  }

  /** The entries of a list; none of what is absent, or no list. */
  list(value: unknown, most: number): { readonly value: unknown; readonly at: PolicyReader }[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.problem('expected a list');
      return [];
    }
    if (value.length > most) this.problem(`has ${value.length} entries; at most ${most} are taken`);
    return value.slice(0, most).map((one: unknown, index) => ({ value: one, at: this.at(index) }));
  }

  /** A yes or a no; absent: no. */
  flag(value: unknown): boolean {
    if (value !== undefined && typeof value !== 'boolean') this.problem('expected true or false');
    return value === true;
  }

  /** Tells of keys that are none of these. */
  keys(value: Readonly<Record<string, unknown>>, known: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      this.at(key).problem(`there is no key ${this.quoted(key)}${didYouMean(key, known)}`);
    }
  }
}

/** What to add where one of these words was meant, if it is near enough to one. */
export function didYouMean(written: unknown, known: readonly string[]): string {
  const meant = typeof written === 'string' ? suggest(written, known) : undefined;
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Whether plain data is a mapping of keys. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
