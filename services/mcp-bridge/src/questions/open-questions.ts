// What the server of one attempt asks people, or has a model asked:
//
// 1. A question is open until it is answered, its server gives it up, its time is over, or the attempt ends.
// 2. The first answer is the answer. The same again is taken, and does nothing; another is not taken.
// 3. A question lapses when its bridge may have been taken for dead since it asked: no answer to it is given on. It is for whoever asked
//    to ask it anew.
// 4. Whoever waits for news of the attempt is told when the open questions are others than those that it knows.

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

/** A question that waits; `until`: when its time is over, as people are told it. */
export type OpenQuestion = AskedQuestion & { readonly id: string; readonly until: number };

/** The answer to what was neither answered nor is waited for any more; nobody gave it. */
export const dismissed: QuestionAnswer = { action: 'cancel', contentJson: '' };

/** What became of an answer that was handed in: given to the server, too late, or its question has lapsed. */
export type Handed = 'taken' | 'late' | 'lapsed';

/** Whether answers may be given on. */
export type Lapse = {
  /** Looked at right before an answer is given on; never rejects. */
  readonly mayGive: () => Promise<boolean>;
  /** Aborts as soon as none may be any more. */
  readonly signal: AbortSignal;
};

const never: Lapse = { mayGive: () => Promise.resolve(true), signal: new AbortController().signal };

/** Lapsed questions that are remembered for whoever has them on the record. */
const lapsedMax = 64;

type Waiting = OpenQuestion & { readonly settle: (answer: QuestionAnswer) => void; readonly lapse: Lapse };

/** The questions of one attempt. */
export class OpenQuestions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Map<string, string>();
  readonly #lapsed = new Set<string>();
  readonly #watchers = new Set<() => void>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Oldest first. */
  get open(): readonly OpenQuestion[] {
    return [...this.#waiting.values()];
  }

  /** Those that no answer was given to and none will be, as far as they are remembered. */
  get lapsed(): readonly string[] {
    return [...this.#lapsed];
  }

  /** Asks, and waits for the answer: `cancel` if the signal aborts first. `until`: when its time is over, by the bridge's clock. */
  async ask(question: AskedQuestion, until: number, signal: AbortSignal): Promise<QuestionAnswer> {
    return (await this.askUnlessLapsed(question, until, signal, never)) ?? dismissed;
  }

  /** The same for an answer that may not be given on at all times; undefined if the question has lapsed. */
  askUnlessLapsed(
    question: AskedQuestion,
    until: number,
    signal: AbortSignal,
    lapse: Lapse,
  ): Promise<QuestionAnswer | undefined> {
    if (signal.aborted) return Promise.resolve(dismissed);
    if (lapse.signal.aborted) return Promise.resolve(undefined);
    const id = this.#newId();
    return new Promise((resolve) => {
      const settle = (answer: QuestionAnswer | undefined) => {
        signal.removeEventListener('abort', dismiss);
        lapse.signal.removeEventListener('abort', lapsed);
        this.#waiting.delete(id);
        this.#changed();
        resolve(answer);
      };
      const lapsed = () => {
        this.#lapsed.add(id);
        const [oldest] = this.#lapsed;
        if (this.#lapsed.size > lapsedMax && oldest !== undefined) this.#lapsed.delete(oldest);
        settle(undefined);
      };
      function dismiss(): void {
        settle(dismissed);
      }
      signal.addEventListener('abort', dismiss, { once: true });
      lapse.signal.addEventListener('abort', lapsed, { once: true });
      this.#waiting.set(id, { ...question, id, until, settle, lapse });
      this.#changed();
    });
  }

  /** Hands an answer in: whether it is the one that the server is given. */
  async answer(id: string, answer: QuestionAnswer): Promise<Handed> {
    const mayBeGiven = (await this.#waiting.get(id)?.lapse.mayGive()) ?? false;
    const text = JSON.stringify([answer.action, answer.contentJson]);
    const known = this.#answered.get(id);
    if (known !== undefined) return known === text ? 'taken' : 'late';
    const waiting = this.#waiting.get(id);
    if (this.#lapsed.has(id) || (waiting !== undefined && !mayBeGiven)) return 'lapsed';
    if (waiting === undefined) return 'late';
    this.#answered.set(id, text);
    waiting.settle(answer);
    return 'taken';
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
