import { DomainError } from '@stopgo/core';
import type { ExecuteOutcome, ExecuteRequest } from '../tool-port.ts';
import { askFence } from './ask-fence.ts';
import type { DriverPorts } from './ports.ts';
import type { RunDriver } from './run-driver.ts';
import { stopWithRun } from './stop-call.ts';

/** Tries, at least, of a call that is safe to repeat while no answer comes. */
const repeatsMin = 3;
/** How long such a call is tried, at least, in times to live of an instance: a bridge may be starting anew meanwhile. */
const repeatTtls = 3;
/** First and longest pause between two tries, in milliseconds. */
const repeatPauseMs = 250;
const repeatPauseMostMs = 2_000;

/**
 * Sends the one attempt of a call that must not run twice. If no answer comes, the bridge is asked what became of it.
 * Undefined if this process ends first.
 */
export async function sendOnce(
  driver: RunDriver,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteOutcome | undefined> {
  const { key, bridge } = request;
  const stopWatching = stopWithRun(driver, key, bridge, signal);
  try {
    return await whileAlive(driver.ports, bridge, driver.ports.tools.execute(request));
  } catch {
    return await askFence(driver, key, bridge);
  } finally {
    stopWatching();
  }
}

/**
 * Sends a call that is safe to repeat, to whichever bridge is there, until one answers for it, or none has for a while
 * though there was one. Undefined if the run goes on without it.
 */
export async function sendRepeatable(
  driver: RunDriver,
  first: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteOutcome | undefined> {
  const { tools, liveness, clock } = driver.ports;
  let request = first;
  let tries = 0;
  let since = clock.monotonic();
  for (let pauseMs = repeatPauseMs; ; pauseMs = Math.min(2 * pauseMs, repeatPauseMostMs)) {
    let message = 'the tool bridge did not take the call';
    const stopWatching = stopWithRun(driver, request.key, request.bridge, signal);
    try {
      const outcome = await whileAlive(driver.ports, request.bridge, tools.execute(request));
      if (outcome.kind !== 'fenced') return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (isTimeUp(error) && !liveness.isDead(request.bridge)) {
        // It takes longer than one request waits: the next one joins it.
        since = clock.monotonic();
        tries = 0;
        continue;
      }
      message = error instanceof Error ? error.message : String(error);
    } finally {
      stopWatching();
    }
    tries += 1;
    if (tries >= repeatsMin && clock.monotonic() - since >= repeatTtls * liveness.ttlMs)
      return { kind: 'unknown', message };
    await clock.sleep(pauseMs, signal);
    let bridge = tools.choose();
    if (bridge === undefined) {
      bridge = await tools.available(signal);
      since = clock.monotonic();
      tries = 0;
    }
    request = { ...first, bridge };
  }
}

/** The answer, unless the bridge is found dead first: one that is frozen never gives one, and its connection may last. */
async function whileAlive<T>({ liveness }: DriverPorts, bridge: string, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const dead = liveness.died(bridge, over.signal).then(() => {
    throw new DomainError('unavailable', `the tool bridge ${bridge} is not heard of any more`);
  });
  answer.catch(() => undefined);
  dead.catch(() => undefined);
  try {
    return await Promise.race([answer, dead]);
  } finally {
    over.abort(new Error('the answer has come'));
  }
}

function isTimeUp(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'deadline_exceeded';
}
