import { callScope } from './call-scope.ts';
import type { AskedQuestion, QuestionAnswer } from './open-questions.ts';

/** Asks people something for a call; aborting the signal gives the question up. */
export type Ask = (question: AskedQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;

/**
 * The calls that are under way on one connection, for what its server asks: it says nowhere which call it asks for, so that is the
 * call in whose answer the request came, else the only one there is.
 */
export class AskingCalls {
  readonly #calls = new Set<Ask>();

  /** Adds a call; what is given back takes it out. */
  add(ask: Ask): () => void {
    this.#calls.add(ask);
    return () => this.#calls.delete(ask);
  }

  /** The call that a request belongs to which has just come in; undefined if nobody can tell. */
  current(): Ask | undefined {
    const inScope = callScope.getStore()?.ask;
    if (inScope !== undefined) return inScope;
    const [only, ...others] = this.#calls;
    return others.length === 0 ? only : undefined;
  }
}
