import { DomainError, isUnderWay } from '@stopgo/core';
import { isTimeUp } from '../../bridges/tools.ts';
import type { ExecuteOutcome, ExecuteRequest } from '../../tool-port.ts';
import type { DriverPorts } from '../handle/ports.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { stopWithRun } from '../handle/stop-call.ts';
import { surelyStill } from '../handle/sure-of.ts';
import { askBeside, askFence, waitForAnswers } from '../questions/ask-fence.ts';
import { anyBridge } from './wait-for-bridge.ts';

/** How long the one request for a call that must not run twice is kept open, in milliseconds. It is asked about meanwhile. */
const onceWaitMs = 10 * 60_000;
/**
 * How long one request for a call that is safe to repeat waits, in milliseconds; the next one joins the call, or is given the
 * outcome if that got lost. Not less: a server ends a connection on which requests are given up too often.
 */
const repeatableWaitMs = 60_000;
/** Tries, at least, of a call that is safe to repeat while no answer comes. */
const repeatsMin = 3;
/** How long such a call is tried, at least, in times to live of an instance: a bridge may be starting anew meanwhile. */
const repeatTtls = 3;
/** First and longest pause between two tries, in milliseconds. */
const repeatPauseMs = 250;
const repeatPauseMostMs = 2_000;

/**
 * Sends the one attempt of a call that must not run twice, for the driver that has just recorded its start. If the bridge is known to
 * be dead, the call is not sent and has not started. If no answer comes, the bridge is asked what became of the call. Undefined if this
 * process ends first. Decision 0038.
 */
export async function sendOnce(
  driver: RunHandle,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteOutcome | undefined> {
  const { key, bridge } = request;
  // It died while the start was being recorded. Nobody else sends this attempt, so there is nothing to be in doubt about.
  if (driver.ports.liveness.isDead(bridge)) return { kind: 'fenced' };
  const stopWatching = stopWithRun(driver, key.callId, signal, () => driver.ports.tools.cancel(key, bridge));
  try {
    const sent = driver.ports.tools.execute(request, onceWaitMs);
    const answer = await whileAlive(driver.ports, bridge, sent, (over) => askBeside(driver, key, bridge, over));
    return answer.kind === 'asking' ? await waitForAnswers(driver, key, bridge, answer.questions) : answer;
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
  driver: RunHandle,
  first: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteOutcome | undefined> {
  const { tools, liveness, clock } = driver.ports;
  let request = first;
  let tries = 0;
  let since = clock.monotonic();
  for (let pauseMs = repeatPauseMs; ; pauseMs = Math.min(2 * pauseMs, repeatPauseMostMs)) {
    let message = 'the tool bridge did not take the call';
    const { key, bridge } = request;
    const stopWatching = stopWithRun(driver, key.callId, signal, () => tools.cancel(key, bridge));
    try {
      const answer = await whileAlive(driver.ports, bridge, tools.execute(request, repeatableWaitMs));
      const asked = answer.kind === 'asking';
      const outcome = asked ? await waitForAnswers(driver, key, bridge, answer.questions) : answer;
      if (outcome === undefined) return undefined;
      // One that was lost while people were asked is made again elsewhere, as any other.
      if (outcome.kind !== 'fenced' && !(asked && outcome.kind === 'unknown')) return outcome;
      message = outcome.message ?? message;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (isTimeUp(error) && !liveness.isDead(bridge)) {
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
    // This process may have been frozen meanwhile, and another have taken the run and put a result on the record.
    if (!(await surelyStill(driver, Number.NEGATIVE_INFINITY, () => isOwed(driver, key), signal))) return undefined;
    let next = tools.choose();
    if (next === undefined) {
      next = await anyBridge(driver, signal);
      since = clock.monotonic();
      tries = 0;
    }
    request = { ...first, bridge: next };
  }
}

/** True while an attempt is this process' own, as far as it has seen the log. */
function isOwed(driver: RunHandle, { callId, attempt }: ExecuteRequest['key']): boolean {
  const call = driver.state.run?.calls[callId];
  return driver.isOwner() && call !== undefined && isUnderWay(call, attempt);
}

/** Made once, as an error has a stack. */
const answerHasCome = new Error('the answer has come');

/**
 * The answer, or what is found out about it beside. Rejects if the bridge is found dead first: one that is frozen never
 * answers, and its connection may last.
 */
async function whileAlive<T>(
  { liveness }: DriverPorts,
  bridge: string,
  answer: Promise<T>,
  beside?: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const dead = liveness.died(bridge, over.signal).then(() => {
    throw new DomainError('unavailable', `the tool bridge ${bridge} is not heard of any more`);
  });
  const all = [answer, dead, ...(beside === undefined ? [] : [beside(over.signal)])];
  for (const one of all) one.catch(() => undefined);
  try {
    return await Promise.race(all);
  } finally {
    over.abort(answerHasCome);
  }
}
