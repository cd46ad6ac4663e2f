import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { type Json, sha256Hex } from '@stopgo/core';
import { checkMs, retryAfterMs, slowSchemasMax, slowValuesMax, threadsMax, waitingMax, waitMs } from './bounds.ts';
import { CheckThread, type ThreadResult } from './check-thread.ts';
import { withPath } from './instance-path.ts';
import { isPlainSchema, isSmallValue } from './plain-schema.ts';

type ObjectSchema = { readonly [key: string]: Json };

/**
 * Says what is wrong with a JSON value, and where (`arguments.list[0].id: …`), as words that may repeat names in it whole
 * (`shownProblem`); undefined if nothing is, or if the schema cannot tell: at once where that takes no time, else as a promise. Never
 * throws or rejects.
 */
export type SchemaCheck = (value: Json) => string | undefined | Promise<string | undefined>;

/** Whose schema it is. */
export type SchemaOwner = {
  /** Of schemas of one owner at most one is checked against at a time: a hostile one keeps nobody else waiting. */
  readonly owner: string;
  /** What the schema is known by, such as the pin of its tool. */
  readonly key: string;
};

/** What may be said otherwise than in `bounds.ts`. */
export type SchemaChecksOptions = {
  /** How long one check may take, in milliseconds. */
  readonly checkMs?: number;
  /** Longest wait of a check for its turn, in milliseconds. */
  readonly waitMs?: number;
  /** How long a value, or a schema, that took too long is not tried again, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
};

type Job = SchemaOwner & {
  readonly schemaJson: string;
  readonly valueJson: string;
  /** What the value is remembered by, if it takes too long. */
  readonly digest: () => string;
  /** Its turn has come: its wait has no bound any more. */
  readonly begin: () => void;
  readonly settle: (problem: string | undefined) => void;
};

// It interprets schemas. The other validator of the MCP client makes code of them, and these are a stranger's.
const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: true });

/**
 * Checks of values against schemas that strangers wrote. One that can only take a moment is made at once; any other in a thread, which
 * is ended when the time is over: the event loop is never blocked. Threads, the wait for one, and the number of checks that wait are
 * bounded. A value that took too long is not tried again for a while, and not let through meanwhile. Other values of its schema are, as
 * they may come from other conversations. After a few slow ones the schema is not tried with any value: a model that varies its
 * arguments would else take a thread with each of them.
 */
export class SchemaChecks {
  readonly #checkMs: number;
  readonly #waitMs: number;
  readonly #retryAfterMs: number;
  readonly #clock: () => number;
  /** By key of a schema: the values that took too long, as digests, and until when that counts. */
  readonly #slow = new Map<string, { readonly until: number; readonly values: ReadonlySet<string> }>();
  readonly #waiting: Job[] = [];
  readonly #busyOwners = new Set<string>();
  readonly #idle: CheckThread[] = [];

  constructor(options: SchemaChecksOptions = {}) {
    this.#checkMs = options.checkMs ?? checkMs;
    this.#waitMs = options.waitMs ?? waitMs;
    this.#retryAfterMs = options.retryAfterMs ?? retryAfterMs;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /**
   * The check of one schema, which must be within the bounds of definitions. Nothing that a schema refers to is ever fetched. What
   * the schema cannot tell (it is in another dialect, refers to another document, or is wrong in a place that only some values get
   * to) is left to the server. `root` is what a problem calls the whole value.
   */
  checkOf(schema: ObjectSchema, owner: SchemaOwner, root = 'arguments'): SchemaCheck {
    const reasonOf = this.#reasonOf(schema, owner);
    const told = (reason: string | undefined, value: Json): string | undefined =>
      reason === undefined ? undefined : withPath(reason, value, root);
    return (value) => {
      const reason = reasonOf(value);
      return reason instanceof Promise ? reason.then((late) => told(late, value)) : told(reason, value);
    };
  }

  /** What the validator says of a value, with places as JSON pointers. */
  #reasonOf(schema: ObjectSchema, owner: SchemaOwner): SchemaCheck {
    const isPlain = isPlainSchema(schema);
    let validate: ((value: unknown) => Verdict) | undefined;
    let schemaJson: string | undefined;
    return (value) => {
      if (!isPlain || !isSmallValue(value)) {
        schemaJson ??= JSON.stringify(schema);
        return this.#inThread({ ...owner, schemaJson, valueJson: JSON.stringify(value) });
      }
      try {
        // The types of the validator are those of a schema as it should be.
        validate ??= validator.getValidator(schema as Parameters<typeof validator.getValidator>[0]);
        const verdict = validate(value);
        return verdict.valid ? undefined : innermost(verdict.errorMessage ?? 'it does not match');
      } catch {
        return undefined;
      }
    };
  }

  /** Ends the threads that do nothing. They keep no process alive; a test may want them gone all the same. */
  endIdle(): void {
    for (const thread of this.#idle.splice(0)) thread.end();
  }

  #inThread(job: Omit<Job, 'digest' | 'begin' | 'settle'>): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#waiting.length >= waitingMax) return resolve(notInTime('too many checks wait already'));
      let digest: string | undefined;
      const waits: Job = {
        ...job,
        digest: () => (digest ??= sha256Hex(job.valueJson)),
        begin: () => clearTimeout(timer),
        settle: resolve,
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waits), 1);
        resolve(notInTime(`other checks took ${this.#waitMs} ms`));
      }, this.#waitMs);
      this.#waiting.push(waits);
      this.#next();
    });
  }

  /** Begins what may begin: the oldest first, of each owner one. */
  #next(): void {
    for (const job of [...this.#waiting]) {
      const slow = this.#slowOf(job);
      if (slow === undefined && (this.#busyOwners.size >= threadsMax || this.#busyOwners.has(job.owner))) continue;
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      job.begin();
      if (slow !== undefined) job.settle(notInTime(`${slow} took too long a moment ago, and is not tried again yet`));
      else void this.#begin(job);
    }
  }

  async #begin(job: Job): Promise<void> {
    this.#busyOwners.add(job.owner);
    const thread = this.#idle.pop() ?? new CheckThread();
    // From now on its time counts, not its wait.
    const result = await thread.run(job, this.#checkMs);
    this.#busyOwners.delete(job.owner);
    if (thread.isAlive) this.#idle.push(thread);
    // That a thread did not start says nothing about the schema.
    if (result.kind === 'late' || result.kind === 'broken') this.#remember(job);
    job.settle(this.#problemOf(result));
    this.#next();
  }

  #problemOf(result: ThreadResult): string | undefined {
    switch (result.kind) {
      case 'checked':
        return result.problem === undefined ? undefined : innermost(result.problem);
      case 'late':
        return `the schema takes longer than ${this.#checkMs} ms to check it`;
      case 'broken':
      case 'unstarted':
        return `the schema could not be checked against (${result.reason})`;
    }
  }

  /** What of a job took too long a moment ago; undefined if nothing did. */
  #slowOf({ key, digest }: Job): string | undefined {
    const slow = this.#slow.get(key);
    if (slow === undefined) return undefined;
    if (slow.until <= this.#clock()) {
      this.#slow.delete(key);
      return undefined;
    }
    if (slow.values.size >= slowValuesMax) return 'its schema';
    return slow.values.has(digest()) ? 'this value' : undefined;
  }

  #remember({ key, digest }: Job): void {
    const values = new Set([...(this.#slow.get(key)?.values ?? []), digest()]);
    this.#slow.delete(key);
    this.#slow.set(key, { until: this.#clock() + this.#retryAfterMs, values });
    const [oldest] = this.#slow.keys();
    if (this.#slow.size > slowSchemasMax && oldest !== undefined) this.#slow.delete(oldest);
  }
}

let ofProcess: SchemaChecks | undefined;

/** The checks of this process: whatever runs in it shares their threads, and knows which schemas take too long. */
export function processSchemaChecks(): SchemaChecks {
  ofProcess ??= new SchemaChecks();
  return ofProcess;
}

type Verdict = { readonly valid: boolean; readonly errorMessage?: string | undefined };

/** The last of a chain of reasons, each of which says that the one after it is the matter. */
function innermost(message: string): string {
  // Each begins with its place. In a place there are no spaces, in the words there may be anything.
  return message.split(/; (?=#\S*: )/).at(-1) ?? message;
}

function notInTime(why: string): string {
  return `it could not be checked against the schema in time (${why})`;
}
