import type { AttemptKey } from '../tool-port.ts';
import type { RunDriver } from './run-driver.ts';

/**
 * Asks the tool server to stop a call once its run is over; what the call came to is still awaited, and recorded as late.
 * A call of a run that goes on is never stopped, even if another process drives it now, or this one is to end: whoever
 * drives it then waits for its outcome. Gives what ends the watch.
 */
export function stopWithRun(driver: RunDriver, key: AttemptKey, bridge: string, signal: AbortSignal): () => void {
  const stop = (): void => {
    if (driver.isRunOpen()) return;
    void driver.ports.tools.cancel(key, bridge).catch(() => undefined);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}
