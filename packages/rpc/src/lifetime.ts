import { setMaxListeners } from 'node:events';
import { canceled, DomainError, deadlineExceeded } from '@stopgo/core';
import { timerMsMax, unaryTimeoutMsDefault } from './bounds.ts';
import type { CallOptions, ClientDefaults } from './service-types.ts';

/** The error of a call that ran out of time. */
export const deadlinePassed = (path: string): DomainError =>
  deadlineExceeded(`${path}: no answer before its deadline; whether it took effect is unknown`);

/** The error of a call whose caller gave up. */
export const callerLeft = (path: string): DomainError => canceled(`${path}: canceled by its caller`);

type LifetimeOptions = {
  /** `/package.Service/Method`, for error texts. */
  readonly path: string;
  /** Milliseconds of the `Date.now` clock. */
  readonly deadline?: number | undefined;
  /** Whether to end the call at the deadline; false where the transport has its own timer. */
  readonly timer: boolean;
  /** Any of these ends the call when it aborts. */
  readonly signals?: readonly (AbortSignal | undefined)[];
};

/** How long one call may go on: its deadline and its cancellation, in one signal whose reason is a DomainError. */
export class CallLifetime {
  readonly path: string;
  readonly deadline: number | undefined;
  #controller: AbortController | undefined;
  readonly #waiting = new Set<(reason: DomainError) => void>();
  readonly #detach: (() => void)[] = [];
  #reason: DomainError | undefined;

  constructor({ path, deadline, timer, signals = [] }: LifetimeOptions) {
    this.path = path;
    this.deadline = deadline;
    for (const signal of signals) this.#follow(signal);
    if (deadline !== undefined && deadline <= Date.now()) this.abort(deadlinePassed(path));
    if (timer && deadline !== undefined && this.#reason === undefined) {
      const delay = Math.min(deadline - Date.now(), timerMsMax);
      const handle = setTimeout(() => this.abort(deadlinePassed(path)), delay);
      this.#detach.push(() => clearTimeout(handle));
    }
  }

  /** Aborts when the call ends before its time. Made when first asked for: most calls in one process never are. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    // A call may have any number of calls of its own under way: their listeners are no leak.
    setMaxListeners(0, controller.signal);
    if (this.#reason !== undefined) controller.abort(this.#reason);
    return controller.signal;
  }

  /** Why the call is over, if it is. */
  get reason(): DomainError | undefined {
    return this.#reason;
  }

  /** Ends the call. Only the first reason counts. */
  abort(reason: DomainError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.end();
    this.#controller?.abort(reason);
    for (const wake of this.#waiting) wake(reason);
    this.#waiting.clear();
  }

  /** Calls `act` when the call is aborted, at once if it is already. Returns how to take that back. */
  onAbort(act: (reason: DomainError) => void): () => void {
    if (this.#reason !== undefined) {
      act(this.#reason);
      return () => undefined;
    }
    this.#waiting.add(act);
    return () => void this.#waiting.delete(act);
  }

  /**
   * The outcome of `work`, or a rejection with the reason as soon as the call is aborted. `work` that fails after that
   * goes to `late` and is never an unhandled rejection.
   */
  race<T>(work: PromiseLike<T>, late: (error: unknown) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onAbort(reject);
      work.then(
        (value) => {
          forget();
          resolve(value);
        },
        (error: unknown) => {
          forget();
          if (this.#reason === undefined) reject(error);
          else late(error);
        },
      );
    });
  }

  /** Releases timer and listeners. The signal stays as it is. */
  end(): void {
    for (const detach of this.#detach.splice(0)) detach();
  }

  #follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const act = () => this.abort(signal.reason instanceof DomainError ? signal.reason : callerLeft(this.path));
    if (signal.aborted) {
      act();
      return;
    }
    signal.addEventListener('abort', act, { once: true });
    this.#detach.push(() => signal.removeEventListener('abort', act));
  }
}

/**
 * The lifetime of a call that a client makes: the earlier of its timeout and its context's deadline.
 *
 * @throws DomainError if the call is over before it began.
 */
export function callLifetime(
  path: string,
  kind: 'unary' | 'stream',
  options: CallOptions,
  defaults: ClientDefaults,
  transport: { readonly timer: boolean; readonly signal?: AbortSignal },
): CallLifetime {
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs ?? (kind === 'unary' ? unaryTimeoutMsDefault : undefined);
  const ends = [options.context?.deadline, timeoutMs === undefined ? undefined : Date.now() + timeoutMs];
  const known = ends.filter((end) => end !== undefined);
  const lifetime = new CallLifetime({
    path,
    deadline: known.length === 0 ? undefined : Math.min(...known),
    timer: transport.timer,
    signals: [options.signal, options.context?.signal, transport.signal],
  });
  if (lifetime.reason !== undefined) throw lifetime.reason;
  return lifetime;
}
