// At most once, for as long as the bridge lives:
//
// 1. An attempt is on record before anything of it runs, and stays on record: its id is never forgotten.
// 2. An attempt on record never runs again. Who asks again joins it, or is given what became of it.
// 3. An attempt that was fenced before it came never runs.
// 4. Outcomes are forgotten after a while; that an attempt was made is not. The ids are 128 bits of a digest each.
// 5. Attempts of calls that are safe to repeat are forgotten together with their outcome: asked for again, they run again. One
//    that did not run because the log was away is forgotten at once.
import { canonicalJson, sha256Hex } from '@stopgo/core';
import { mcp, toBinary } from '@stopgo/proto';
import type { BridgeBounds } from '../bounds.ts';
import { type Handed, type OpenQuestion, OpenQuestions, type QuestionAnswer } from '../questions/open-questions.ts';
import type { Progress } from '../session/session-call.ts';
import { IdSet } from './id-set.ts';
import { askingOutcome, type Outcome, refused, unknown } from './outcome.ts';

/** Names one attempt of one call. */
export type AttemptKey = Pick<mcp.CallKey, 'conversationId' | 'runId' | 'callId' | 'attempt'>;

/** What is known of an attempt. */
export type AttemptState =
  | { readonly kind: 'never_seen' }
  | ({ readonly kind: 'running' } & AttemptProgress)
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'forgotten' };

/** How far a running attempt is. */
export type AttemptProgress = {
  /** It waits for its turn and has not been sent. */
  readonly waiting: boolean;
  /** The latest that its server told. */
  readonly progress?: Progress;
  /** What its server waits for people for, oldest first. */
  readonly questions: readonly OpenQuestion[];
  /** Ids of those that were asked before and have lapsed. */
  readonly lapsedQuestions: readonly string[];
};

/** What an attempt that runs is given to watch and to tell. */
export type AttemptWatch = {
  /** Aborts when the attempt is to end. */
  readonly signal: AbortSignal;
  /** What its server asks people. */
  readonly questions: OpenQuestions;
  /** To be called when its turn has come. */
  readonly onTurn: () => void;
  readonly onProgress: (progress: Progress) => void;
};

/** Runs one attempt; must not throw. */
export type RunAttempt = (watch: AttemptWatch) => Promise<Outcome>;

type Running = {
  readonly outcome: Promise<Outcome>;
  readonly questions: OpenQuestions;
  readonly cancel: AbortController;
  readonly at: () => AttemptProgress;
};
type Kept = {
  readonly outcome: Outcome;
  readonly isRepeatable: boolean;
  readonly bytes: number;
  readonly until: number;
};

/** Nobody reads it. Given because `abort` else makes an error, with its stack, for every call before it is answered. */
const watchIsOver = 'over';

type AttemptBounds = Pick<BridgeBounds, 'outcomeKeepMs' | 'outcomeBytesMax' | 'goneSettleMs'>;

const idBytes = 16;

/** The attempts that this instance has seen or fenced. */
export class Attempts {
  readonly #bounds: AttemptBounds;
  readonly #clock: () => number;
  readonly #running = new Map<string, Running>();
  /** In the order they ended, which is the order they are forgotten in. */
  readonly #kept = new Map<string, Kept>();
  readonly #forgotten = new IdSet();
  /** Certain not to have run, and never to run. */
  readonly #fenced = new IdSet();
  #keptBytes = 0;
  readonly #newId: () => string;

  /** `clock`: milliseconds that only grow. `newId`: ids of questions, unique for ever. */
  constructor(bounds: AttemptBounds, clock: () => number, newId: () => string) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#newId = newId;
  }

  /**
   * The outcome of the attempt, which is run if it has never been seen. `isRepeatable`: running it again later would do
   * no harm, so that it need not be remembered for good. If its server asks people something, that is the answer, and the attempt
   * goes on.
   */
  execute(key: AttemptKey, isRepeatable: boolean, run: RunAttempt): Promise<Outcome> {
    const id = idOf(key);
    const running = this.#running.get(id);
    if (running !== undefined) return this.#told(running);
    const state = this.#settled(id);
    if (state === undefined) return this.#told(this.#start(id, isRepeatable, run));
    switch (state.kind) {
      case 'outcome':
        return Promise.resolve(state.outcome);
      case 'never_seen':
        return Promise.resolve(
          refused(mcp.RefusedReason.FENCED, 'this attempt was fenced before it came; it did not run'),
        );
      case 'forgotten':
        return Promise.resolve(unknown('this attempt was made before, and its outcome is not kept any more'));
    }
  }

  /** What became of the attempt. One that was never seen is refused from now on. */
  fence(key: AttemptKey): AttemptState {
    const id = idOf(key);
    const running = this.#running.get(id);
    if (running !== undefined) return { kind: 'running', ...running.at() };
    const state = this.#settled(id);
    if (state !== undefined) return state;
    this.#fenced.add(id);
    return { kind: 'never_seen' };
  }

  /** Resolves when a running attempt has ended, or asks people something else than this, or the signal aborts. */
  async news(key: AttemptKey, known: readonly string[], signal: AbortSignal): Promise<void> {
    const running = this.#running.get(idOf(key));
    if (running === undefined) return;
    const over = new AbortController();
    await Promise.race([running.outcome, running.questions.differ(known, AbortSignal.any([signal, over.signal]))]);
    // A question that is gone is mostly gone with its call: then that is the news.
    const isGone = running.questions.open.length < known.length;
    if (isGone) await Promise.race([running.outcome, pause(this.#bounds.goneSettleMs, over.signal)]);
    over.abort();
  }

  /** Hands a person's answer to a running attempt: whether it is the one that its server is given. */
  async answer(key: AttemptKey, questionId: string, answer: QuestionAnswer): Promise<Handed> {
    return (await this.#running.get(idOf(key))?.questions.answer(questionId, answer)) ?? 'late';
  }

  /** Asks a running attempt to end; false if it does not run. */
  cancel(key: AttemptKey): boolean {
    const running = this.#running.get(idOf(key));
    running?.cancel.abort();
    return running !== undefined;
  }

  /** Asks every running attempt to end. */
  cancelAll(): void {
    for (const { cancel } of this.#running.values()) cancel.abort();
  }

  /** Settles when no attempt runs any more. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ outcome }) => outcome));
  }

  /** Its outcome, or before that what its server asks. */
  async #told({ outcome, questions }: Running): Promise<Outcome> {
    const over = new AbortController();
    const asking = questions.differ([], over.signal).then(() => askingOutcome(questions.open, this.#clock()));
    return Promise.race([outcome, asking]).finally(() => over.abort(watchIsOver));
  }

  #start(id: string, isRepeatable: boolean, run: RunAttempt): Running {
    const cancel = new AbortController();
    const questions = new OpenQuestions(this.#newId);
    let at: Omit<AttemptProgress, 'questions' | 'lapsedQuestions'> = { waiting: true };
    const watch: AttemptWatch = {
      signal: cancel.signal,
      questions,
      onTurn: () => {
        at = { waiting: false };
      },
      onProgress: (progress) => {
        at = { waiting: false, progress };
      },
    };
    const outcome = run(watch).then((end) => {
      this.#running.delete(id);
      this.#keep(id, isRepeatable, end);
      return end;
    });
    const asked = () => ({ questions: questions.open, lapsedQuestions: questions.lapsed });
    const running = { outcome, questions, cancel, at: () => ({ ...at, ...asked() }) };
    this.#running.set(id, running);
    return running;
  }

  #settled(id: string): Exclude<AttemptState, { kind: 'running' }> | undefined {
    this.#forgetOld();
    const kept = this.#kept.get(id);
    if (kept !== undefined) return { kind: 'outcome', outcome: kept.outcome };
    if (this.#fenced.has(id)) return { kind: 'never_seen' };
    return this.#forgotten.has(id) ? { kind: 'forgotten' } : undefined;
  }

  #keep(id: string, isRepeatable: boolean, outcome: Outcome): void {
    if (isRepeatable && isForLater(outcome)) return;
    const bytes = toBinary(mcp.ExecuteResponseSchema, outcome).byteLength;
    this.#kept.set(id, { outcome, isRepeatable, bytes, until: this.#clock() + this.#bounds.outcomeKeepMs });
    this.#keptBytes += bytes;
    this.#forgetOld();
  }

  #forgetOld(): void {
    const now = this.#clock();
    for (const [id, { outcome, isRepeatable, bytes, until }] of this.#kept) {
      if (until > now && this.#keptBytes <= this.#bounds.outcomeBytesMax) return;
      this.#kept.delete(id);
      this.#keptBytes -= bytes;
      if (isRepeatable) continue;
      // A refused attempt did not run: it may be called never seen, which lets the caller start anew.
      if (outcome.outcome.case === 'refused') this.#fenced.add(id);
      else this.#forgotten.add(id);
    }
  }
}

function isForLater({ outcome }: Outcome): boolean {
  return outcome.case === 'refused' && outcome.value.reason === mcp.RefusedReason.RECORD_UNAVAILABLE;
}

function idOf({ conversationId, runId, callId, attempt }: AttemptKey): string {
  const digest = sha256Hex(canonicalJson([conversationId, runId, callId, attempt]));
  // One character per byte: the ids are what a long-lived bridge holds most of.
  return Buffer.from(digest, 'hex').subarray(0, idBytes).toString('latin1');
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
