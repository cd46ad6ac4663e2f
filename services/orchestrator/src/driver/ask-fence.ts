import { type Liveness, processOf } from '@stopgo/log';
import { bridgeRole } from '../bridges/directory.ts';
import type { AttemptKey, ExecuteOutcome } from '../tool-port.ts';
import type { RunDriver } from './run-driver.ts';

/** First and longest pause between questions about a call that is still running, or to a bridge that does not answer, in milliseconds. */
const askPauseMs = 250;
const askPauseMostMs = 1_000;
/** Pause between questions about a call whose answer is still waited for, in milliseconds. */
const besidePauseMs = 30_000;

/**
 * Asks the bridge that an attempt was sent to until it is known what became of it: not started (and never to be), its
 * outcome, or that nobody can tell. Undefined if this process ends first.
 */
export async function askFence(
  driver: RunDriver,
  key: AttemptKey,
  bridge: string,
): Promise<ExecuteOutcome | undefined> {
  const { liveness, clock } = driver.ports;
  for (let pauseMs = askPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, askPauseMostMs)) {
    if (driver.isStopped()) return undefined;
    try {
      const outcome = await askOnce(driver, key, bridge);
      if (outcome !== undefined) return outcome;
    } catch {
      // Also when another process answers at that address: what became of the one that was asked for is not known yet.
      if (hasEnded(liveness, bridge))
        return {
          kind: 'unknown',
          message: 'the process that made the call has ended, and nobody knows how the call ended',
        };
    }
    await clock.sleep(pauseMs).catch(() => undefined);
  }
}

/**
 * Asks now and then about an attempt that was sent and whose answer has not come: it may have got lost on a connection that
 * lasts. A call that runs goes on undisturbed. Rejects when the signal aborts.
 */
export async function askBeside(
  driver: RunDriver,
  key: AttemptKey,
  bridge: string,
  signal: AbortSignal,
): Promise<ExecuteOutcome> {
  for (;;) {
    await driver.ports.clock.sleep(besidePauseMs, signal);
    const outcome = await askOnce(driver, key, bridge).catch(() => undefined);
    if (outcome !== undefined) return outcome;
  }
}

/** What became of an attempt; undefined while it runs. Rejects if no answer comes. */
async function askOnce(driver: RunDriver, key: AttemptKey, bridge: string): Promise<ExecuteOutcome | undefined> {
  const answer = await driver.ports.tools.fence(key, bridge);
  switch (answer.kind) {
    case 'never_seen':
      return { kind: 'fenced' };
    case 'forgotten':
      return { kind: 'unknown', message: 'the tool bridge no longer knows how the call ended' };
    case 'outcome':
      return answer.outcome;
    case 'running':
      return undefined;
  }
}

/** True if nobody can be asked any more. A process that goes on under another id still knows what it did under this one. */
function hasEnded(liveness: Liveness, bridge: string): boolean {
  const process = processOf(bridge);
  const goesOn = (): boolean => liveness.alive(bridgeRole).some(({ instance }) => processOf(instance) === process);
  return liveness.isDead(bridge) && !goesOn();
}
