/**
 * A promise that rejects when the time is over or the signal aborts. It is never an unhandled rejection; `clear` ends the
 * timer. `asked`: what was to be answered in that time, for the error.
 */
export function deadlineOf(
  ms: number,
  asked: string,
  signal?: AbortSignal,
): { readonly passed: Promise<never>; readonly clear: () => void } {
  const { promise, reject } = rejectable();
  const stop = () => reject(new Error('the bridge is stopping'));
  const timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(ms)} ms to ${asked}`)), ms);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  return {
    passed: promise,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    },
  };
}

function rejectable(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}
