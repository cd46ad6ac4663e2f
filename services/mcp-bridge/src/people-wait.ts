import type { Ask } from './asking-calls.ts';
import type { AttemptWatch } from './attempts.ts';
import type { BridgeBounds } from './bounds.ts';
import type { AskedQuestion, QuestionAnswer } from './open-questions.ts';
import type { ServerConnection } from './server-connection.ts';

/** What the wait needs. */
export type PeopleWaitDependencies = {
  readonly bounds: Pick<BridgeBounds, 'questionsOpenMax' | 'questionsPerCallMax'>;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  /** The text without credentials. */
  readonly clean: (text: string) => string;
  /** Puts a question before people, and waits for their answer until the signal aborts. `until`: when it will, by the clock. */
  readonly put: (question: AskedQuestion, until: number, signal: AbortSignal) => Promise<QuestionAnswer>;
};

/** The time that one attempt waits for people: it is not the server's, and has a bound of its own, over all its questions. */
export class PeopleWait {
  readonly #server: ServerConnection;
  readonly #watch: AttemptWatch;
  readonly #dependencies: PeopleWaitDependencies;
  #asked = 0;
  #open = 0;
  #since = 0;
  #tookMs = 0;
  #until = 0;

  constructor(server: ServerConnection, watch: AttemptWatch, dependencies: PeopleWaitDependencies) {
    this.#server = server;
    this.#watch = watch;
    this.#dependencies = dependencies;
  }

  /** How long people took so far, in milliseconds. */
  get tookMs(): number {
    return this.#tookMs + (this.#open > 0 ? this.#dependencies.clock() - this.#since : 0);
  }

  /** When nobody was waited for any more; 0 if nobody ever was. */
  get until(): number {
    return this.#open > 0 ? this.#dependencies.clock() : this.#until;
  }

  /** Asks people for the server. Never throws: a question that nobody is to be asked, or nobody answers, is dismissed. */
  readonly ask: Ask = async (question, signal) => {
    const { bounds, clock, clean, put } = this.#dependencies;
    const left = (this.#server.config.questions?.timeoutMs ?? 0) - this.tookMs;
    const isTooMuch = this.#open >= bounds.questionsOpenMax || this.#asked >= bounds.questionsPerCallMax;
    const dismissed: QuestionAnswer = { action: 'cancel', contentJson: '' };
    if (left <= 0 || isTooMuch) return dismissed;
    const { message, schemaJson, url } = question;
    // What repeats a credential is put before nobody.
    if (clean(schemaJson + url) !== schemaJson + url) return dismissed;
    this.#asked += 1;
    if (this.#open === 0) this.#since = clock();
    this.#open += 1;
    try {
      const limit = AbortSignal.timeout(Math.ceil(left));
      const over = AbortSignal.any([signal, this.#watch.signal, limit]);
      return await put({ message: clean(message), schemaJson, url }, clock() + left, over);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) {
        this.#tookMs += clock() - this.#since;
        this.#until = clock();
      }
    }
  };
}
