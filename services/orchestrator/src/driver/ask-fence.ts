import type { AttemptKey, ExecuteOutcome } from '../tool-port.ts';
import type { RunDriver } from './run-driver.ts';

/** First and longest pause between questions about a call that is still running, or to a bridge that does not answer, in milliseconds. */
const askPauseMs = 250;
const askPauseMostMs = 1_000;

/**
 * Asks the bridge that an attempt was sent to until it is known what became of it: not started (and never to be), its
 * outcome, or that nobody can tell. Undefined if this process ends first.
 */
export async function askFence(
  driver: RunDriver,
  key: AttemptKey,
  bridge: string,
): Promise<ExecuteOutcome | undefined> {
  const { tools, liveness, clock } = driver.ports;
  for (let pauseMs = askPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, askPauseMostMs)) {
    if (driver.isStopped()) return undefined;
    try {
      const answer = await tools.fence(key, bridge);
      switch (answer.kind) {
        case 'never_seen':
          return { kind: 'fenced' };
        case 'forgotten':
          return { kind: 'unknown', message: 'the tool bridge no longer knows how the call ended' };
        case 'outcome':
          return answer.outcome;
        case 'running':
          break;
      }
    } catch {
      // Also when another process answers at that address: what became of the one that was asked for is not known yet.
      if (liveness.isDead(bridge))
        return {
          kind: 'unknown',
          message: 'the process that made the call has ended, and nobody knows how the call ended',
        };
    }
    await clock.sleep(pauseMs).catch(() => undefined);
  }
}
