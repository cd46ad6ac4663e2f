import { cutText, inputMessageBytesMax, type SamplingAsked, samplingProblem, visibleText } from '@stopgo/core';
import { abortsWithin } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import type { Ask } from '../questions/call-scope.ts';
import { type AskedQuestion, dismissed, type QuestionAnswer } from '../questions/open-questions.ts';
import type { ServerConnection } from '../servers/server-connection.ts';
import type { AttemptWatch } from './attempts.ts';

/** What the wait needs. */
export type AnswerWaitDependencies = {
  readonly bounds: Pick<
    BridgeBounds,
    | 'questionsOpenMax'
    | 'questionsPerCallMax'
    | 'samplingsOpenMax'
    | 'samplingsPerCallMax'
    | 'samplingMs'
    | 'answerGraceMs'
  >;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  /** The text without credentials. */
  readonly clean: (text: string) => string;
  /** Puts a question, and waits for the answer until the signal aborts. `until`: when its time is over, by the clock. */
  readonly put: (question: AskedQuestion, until: number, signal: AbortSignal) => Promise<QuestionAnswer>;
};

/** What one attempt may ask of people, or of models. */
type Bounds = { readonly ms: number; readonly openMax: number; readonly askedMax: number };

/**
 * The time that one attempt waits for people and for models: it is not the server's. Each of the two has a bound of its own, over all
 * that the attempt asks of them.
 */
export class AnswerWait {
  readonly #server: Pick<ServerConnection, 'config'>;
  readonly #watch: Pick<AttemptWatch, 'questions' | 'signal'>;
  readonly #dependencies: AnswerWaitDependencies;
  readonly #all: Waits;
  readonly #people: Waits;
  readonly #models: Waits;

  constructor(
    server: Pick<ServerConnection, 'config'>,
    watch: Pick<AttemptWatch, 'questions' | 'signal'>,
    dependencies: AnswerWaitDependencies,
  ) {
    this.#server = server;
    this.#watch = watch;
    this.#dependencies = dependencies;
    const { clock } = dependencies;
    this.#all = new Waits(clock);
    this.#people = new Waits(clock);
    this.#models = new Waits(clock);
  }

  /** How long that took so far, in milliseconds. */
  get tookMs(): number {
    return this.#all.tookMs;
  }

  /** When nothing was waited for any more; 0 if nothing ever was. */
  get until(): number {
    return this.#all.until;
  }

  /** Asks for the server. Never throws: what nobody is to be asked, or nobody answers, is dismissed. */
  readonly ask: Ask = async (question, signal) => {
    const { bounds, clock, put } = this.#dependencies;
    const { questions, sampling } = this.#server.config;
    const people: Bounds = {
      ms: questions?.timeoutMs ?? 0,
      openMax: bounds.questionsOpenMax,
      askedMax: bounds.questionsPerCallMax,
    };
    const models: Bounds = {
      ms: sampling === undefined ? 0 : bounds.samplingMs,
      openMax: bounds.samplingsOpenMax,
      askedMax: bounds.samplingsPerCallMax,
    };
    const isForModel = question.sampling !== undefined;
    const waits = isForModel ? this.#models : this.#people;
    const { ms, openMax, askedMax } = isForModel ? models : people;
    const left = ms - waits.tookMs;
    const asked = this.#cleaned(question);
    if (left <= 0 || waits.open >= openMax || waits.asked >= askedMax || asked === undefined) return dismissed;
    const over = abortsWithin(Math.ceil(left) + bounds.answerGraceMs, signal, this.#watch.signal);
    return this.#all.during(() => waits.during(() => put(asked, clock() + left, over)));
  };

  /** Without credentials, and cut after that; undefined if it cannot be asked without. */
  #cleaned({ message, schemaJson, url, sampling }: AskedQuestion): AskedQuestion | undefined {
    const { clean } = this.#dependencies;
    if (sampling !== undefined) {
      const asked = cleanedSampling(sampling, clean);
      return samplingProblem(asked) === undefined ? { message, schemaJson, url, sampling: asked } : undefined;
    }
    // What repeats a credential is put before nobody.
    if (clean(schemaJson) !== schemaJson || clean(url) !== url) return undefined;
    // Cut before it is read character by character, and again if it has grown by that.
    const said = cutText(clean(message), inputMessageBytesMax).text;
    return { message: cutText(visibleText(said), inputMessageBytesMax).text, schemaJson, url };
  }
}

function cleanedSampling(asked: SamplingAsked, clean: (text: string) => string): SamplingAsked {
  return {
    ...asked,
    systemPrompt: clean(asked.systemPrompt),
    messages: asked.messages.map(({ byModel, text }) => ({ byModel, text: clean(text) })),
    stopSequences: asked.stopSequences.map(clean),
  };
}

/** Waits that may overlap: how many there were and are, and how long there was any. */
class Waits {
  readonly #clock: () => number;
  asked = 0;
  open = 0;
  #since = 0;
  #tookMs = 0;
  #until = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get tookMs(): number {
    return this.#tookMs + (this.open > 0 ? this.#clock() - this.#since : 0);
  }

  get until(): number {
    return this.open > 0 ? this.#clock() : this.#until;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.asked += 1;
    if (this.open === 0) this.#since = this.#clock();
    this.open += 1;
    try {
      return await work();
    } finally {
      this.open -= 1;
      if (this.open === 0) {
        this.#tookMs += this.#clock() - this.#since;
        this.#until = this.#clock();
      }
    }
  }
}
