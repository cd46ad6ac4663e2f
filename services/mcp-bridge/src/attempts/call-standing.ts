// Under which of its ids a bridge goes on with a call in the midst of which its server asks something, so that nothing runs twice:
//
// 1. It goes on under the id that the attempt is on record for, as long as nobody can have taken that one for dead.
// 2. Else somebody may have put the call in doubt, and somebody may have decided on that: no answer is given on.
// 3. What the server still waits for is asked anew, once nobody judges any more by what was known before the bridge had its present
//    id. It is put on the record by whoever drives the run then, and only if the call is not in doubt there: so with the answer to it
//    the call is still this bridge's, and goes on under the present id.
import type { Standing } from '@stopgo/log';
import { type AskedQuestion, dismissed, type OpenQuestions, type QuestionAnswer } from '../questions/open-questions.ts';

/** The standing of one attempt that must not run twice. */
export class CallStanding {
  readonly #standing: Standing;
  readonly #questions: OpenQuestions;
  readonly #given = new WeakSet<QuestionAnswer>();
  #instance: string;

  /** `instance`: the id that the attempt is on record for. */
  constructor(standing: Standing, instance: string, questions: OpenQuestions) {
    this.#standing = standing;
    this.#instance = instance;
    this.#questions = questions;
  }

  /** Whether the server may be told something now. Never rejects. */
  mayGoOn(signal: AbortSignal): Promise<boolean> {
    return mayAct(this.#standing, this.#instance, signal);
  }

  /** True if it is the answer of somebody that the server may be given at once. */
  isGiven(answer: QuestionAnswer): boolean {
    return this.#given.has(answer);
  }

  /** Asks, again if the question lapses, until the signal aborts: then the answer is `cancel`. Never rejects. */
  async ask(question: AskedQuestion, until: number, signal: AbortSignal): Promise<QuestionAnswer> {
    while (!signal.aborted) {
      const instance = await this.#placeToAsk(signal);
      if (instance === undefined) break;
      const answer = await this.#askUnder(instance, question, until, signal);
      if (answer !== undefined) return answer;
    }
    return dismissed;
  }

  /** Undefined if the signal aborts. */
  async #placeToAsk(signal: AbortSignal): Promise<string | undefined> {
    if (this.#standing.instance === this.#instance) return this.#instance;
    return this.#standing.settled(signal).catch(() => undefined);
  }

  async #askUnder(instance: string, question: AskedQuestion, until: number, signal: AbortSignal) {
    const lapsed = new AbortController();
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    this.#standing.renamed(instance, either).then(
      () => lapsed.abort(),
      () => undefined,
    );
    const lapse = { signal: lapsed.signal, mayGive: () => mayAct(this.#standing, instance, signal) };
    const answer = await this.#questions.askUnlessLapsed(question, until, signal, lapse);
    over.abort(new Error('it was answered'));
    if (answer !== undefined && answer !== dismissed) {
      this.#given.add(answer);
      this.#instance = instance;
    }
    return answer;
  }
}

/** Whether this bridge may still act under an id; false if that cannot be told before the signal aborts. Never rejects. */
export async function mayAct(standing: Standing, instance: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await standing.mayAct(instance, signal);
  } catch {
    return false;
  }
}
