import type { RunHandle } from './run-handle.ts';

/** True while the run goes on and waits for this call, as far as this process has seen: whoever drives it. */
export function isWanted(driver: Pick<RunHandle, 'state' | 'runId'>, callId: string): boolean {
  const { run } = driver.state;
  return run?.id === driver.runId && run.status === 'open' && run.calls[callId] !== undefined;
}
