import { isWanted } from './is-wanted.ts';
import type { RunHandle } from './run-handle.ts';

/**
 * Asks whoever makes a call to stop it once its run or its step is over; what the call came to is still awaited, and recorded as late.
 * A call that its run waits for is never stopped, even if another process drives it now, or this one is to end: whoever
 * drives it then waits for its outcome. Gives what ends the watch.
 */
export function stopWithRun(
  driver: RunHandle,
  callId: string,
  signal: AbortSignal,
  cancel: () => Promise<void>,
): () => void {
  const stop = (): void => {
    if (isWanted(driver, callId)) return;
    void cancel().catch(() => undefined);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}
