// What the server of one attempt asks people, or has a model asked:
//
// 1. A question is open until it is answered, its server gives it up, its time is over, or the attempt ends.
// 2. The first answer is the answer. The same again is taken, and does nothing; another is not taken.
// 3. Whoever waits for news of the attempt is told when the open questions are others than those that it knows.

import type { SamplingAsked } from '@stopgo/core';

/** What a server wants to ask a person, or have a model asked. */
export type AskedQuestion = {
  /** In its words. */
  readonly message: string;
  /** JSON Schema of the values; empty for an address. */
  readonly schemaJson: string;
  readonly url: string;
  /** What a model is asked; then the others are empty. */
  readonly sampling?: SamplingAsked;
};

/** What became of it; `contentJson` is a JSON object, empty if there are no values, or no answer of a model. */
export type QuestionAnswer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly contentJson: string };

/** A question that waits. */
export type OpenQuestion = AskedQuestion & { readonly id: string; readonly until: number };

/** What was neither answered nor waited for any more. */
const dismissed: QuestionAnswer = { action: 'cancel', contentJson: '' };

type Waiting = OpenQuestion & { readonly settle: (answer: QuestionAnswer) => void };

/** The questions of one attempt. */
export class OpenQuestions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Map<string, string>();
  readonly #watchers = new Set<() => void>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Oldest first. */
  get open(): readonly OpenQuestion[] {
    return [...this.#waiting.values()];
  }

  /** Asks, and waits for the answer: `cancel` if the signal aborts first. `until`: when it will, by the bridge's clock. */
  ask(question: AskedQuestion, until: number, signal: AbortSignal): Promise<QuestionAnswer> {
    if (signal.aborted) return Promise.resolve(dismissed);
    const id = this.#newId();
    return new Promise((resolve) => {
      const settle = (answer: QuestionAnswer) => {
        signal.removeEventListener('abort', dismiss);
        this.#waiting.delete(id);
        this.#changed();
        resolve(answer);
      };
      function dismiss(): void {
        settle(dismissed);
      }
      signal.addEventListener('abort', dismiss, { once: true });
      this.#waiting.set(id, { ...question, id, until, settle });
      this.#changed();
    });
  }

  /** Hands an answer in: whether it is the one that the server is given. */
  answer(id: string, answer: QuestionAnswer): boolean {
    const text = JSON.stringify([answer.action, answer.contentJson]);
    const known = this.#answered.get(id);
    if (known !== undefined) return known === text;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#answered.set(id, text);
    waiting.settle(answer);
    return true;
  }

  /** Resolves when the open questions are others than these, or the signal aborts. */
  async differ(known: readonly string[], signal: AbortSignal): Promise<void> {
    const isKnown = () => known.length === this.#waiting.size && known.every((id) => this.#waiting.has(id));
    while (isKnown() && !signal.aborted) {
      await new Promise<void>((wake) => {
        const done = () => {
          this.#watchers.delete(done);
          signal.removeEventListener('abort', done);
          wake();
        };
        this.#watchers.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
