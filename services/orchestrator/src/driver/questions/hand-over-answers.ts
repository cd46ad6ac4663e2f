import { conversationStream, type SettledInput } from '@stopgo/core';
import type { AttemptKey } from '../../tool-port.ts';
import type { RunHandle } from '../handle/run-handle.ts';

/** First and longest pause before an answer that did not get through is handed over again, in milliseconds. */
const pauseMs = 250;
const pauseMostMs = 2_000;

/**
 * Hands what people, or a model, answered to the bridge at which a call waits for it, until the signal aborts. An answer that was handed over
 * before, by whomever, is taken again there and does nothing; one that is not taken has come too late, and that is put on the
 * record. What was withdrawn here, and is `waitedFor` at the bridge all the same, is canceled there: its time is over. Never rejects.
 */
export async function handOverAnswers(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
  waitedFor: (questionId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const done = new Set<string>();
  for (let goesOn = !signal.aborted; goesOn; ) {
    const seen = driver.state;
    for (const [inputId, answered] of settledAt(driver, key, bridge)) {
      if (answered.how === 'withdrawn' && !waitedFor(answered.questionId)) continue;
      if (done.has(inputId)) continue;
      if (await handOver(driver, key, bridge, inputId, answered, signal)) done.add(inputId);
    }
    goesOn = await driver.movedOn(seen, signal);
  }
}

/** What the call asked at that bridge, and takes no answer any more by the record. */
function settledAt({ state, runId }: RunHandle, { callId, attempt }: AttemptKey, bridge: string) {
  const settled = state.run?.id === runId ? Object.entries(state.run.settledInputs ?? {}) : [];
  return settled.filter(([, one]) => one.callId === callId && one.attempt === attempt && one.bridge === bridge);
}

/** True once it is known whether the server is given the answer. */
async function handOver(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
  inputId: string,
  { questionId, how, revision }: SettledInput,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, tools } = driver.ports;
  for (let pause = pauseMs; !signal.aborted && !driver.stopping.aborted; pause = Math.min(2 * pause, pauseMostMs)) {
    try {
      const isWithdrawn = how === 'withdrawn';
      const contentJson = isWithdrawn ? '' : await contentAt(driver, revision, signal);
      const action = isWithdrawn ? 'cancel' : how;
      const handed = await tools.answer(key, bridge, { questionId, action, contentJson });
      if (handed !== 'taken' && !isWithdrawn && !signal.aborted)
        await driver.submit({ type: 'answerLost', inputId, isAskedAnew: handed === 'asked_anew' });
      return true;
    } catch {
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
  return false;
}

/** The values that were given, from the record: the state does not hold them. */
async function contentAt(driver: RunHandle, revision: number, signal: AbortSignal): Promise<string> {
  for await (const { fact } of driver.ports.log.read(conversationStream(driver.conversationId), revision, signal))
    return fact.case === 'inputProvided' ? fact.value.contentJson : '';
  throw new Error(`event ${revision} of conversation ${driver.conversationId} cannot be read yet`);
}
