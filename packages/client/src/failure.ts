import { ApiError, NotReached, OutcomeUnknown, retryAfterMs, StrangeAnswer } from './errors.ts';
import { certificateProblem, maybeSent } from './unanswered.ts';

/** One try that failed. */
export type Failure = {
  /** An ApiError, or what there was in the place of an answer. */
  readonly problem: unknown;
  /** The platform may have taken it. */
  readonly maybeTaken: boolean;
  /** The same request may do better a little later. */
  readonly mayPass: boolean;
};

/** In answers: the request may have been carried out. */
const mayHaveTakenEffect = /whether this took effect/;
/** Answers that say: not now. A 408 comes from a platform that stood still while the request arrived. */
const notNow: readonly number[] = [408, 429, 502, 503, 504];

/** A try that `fetch` gave no whole answer to. */
export const unanswered = (error: unknown): Failure => ({
  problem: error,
  maybeTaken: maybeSent(error),
  mayPass: certificateProblem(error) === undefined,
});

/** A try that was answered with something else than what was asked for. `answer`: what the text holds; undefined: no object. */
export function refused(response: Response, text: string, answer: object | undefined): Failure {
  const { status, headers } = response;
  // The platform says in words what is wrong. Something else was written by whoever stands between.
  if (answer === undefined || typeof (answer as ApiError['body']).error !== 'string')
    return { problem: new StrangeAnswer(response, text), maybeTaken: true, mayPass: notNow.includes(status) };
  const problem = new ApiError(status, answer as ApiError['body'], retryAfterMs(headers));
  const saysSo = status > 500 && mayHaveTakenEffect.test(problem.message);
  // A 502 is of a proxy, which does not know what became of it.
  return { problem, maybeTaken: status === 502 || saysSo, mayPass: notNow.includes(status) };
}

/** How long whoever answered so wants to be left alone, in milliseconds; 0 if they do not say. */
export function wantedPauseMs(error: unknown): number {
  const problem = error instanceof NotReached ? error.cause : error;
  return problem instanceof ApiError || problem instanceof StrangeAnswer ? (problem.retryAfterMs ?? 0) : 0;
}

/** What somebody is told who waits for the answer. `wasMaybeTaken`: by a try before; `key`: what it was sent with, if it counts. */
export function errorOf(
  { problem, maybeTaken, mayPass }: Failure,
  { isRead, wasMaybeTaken, key }: { readonly isRead: boolean; readonly wasMaybeTaken: boolean; readonly key?: string },
): ApiError | NotReached {
  const isFinal = problem instanceof ApiError && !mayPass;
  const isUnknown = maybeTaken || (wasMaybeTaken && !isFinal);
  if (!isRead && isUnknown) return new OutcomeUnknown(problem, key);
  return problem instanceof ApiError && problem.status !== 502 ? problem : new NotReached(problem);
}

/** Whether an event stream that ended so is worth another try. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  if (!(error instanceof NotReached)) return false;
  const { cause } = error;
  if (cause instanceof StrangeAnswer) return cause.status >= 500;
  return certificateProblem(cause) === undefined;
}
