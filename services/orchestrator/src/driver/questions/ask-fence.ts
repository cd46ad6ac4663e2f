import type {
  AskedQuestions,
  AttemptKey,
  ExecuteAnswer,
  ExecuteOutcome,
  FenceNews,
  FenceOutcome,
} from '../../tool-port.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { answerSamplings } from './answer-samplings.ts';
import { BridgeSilence } from './bridge-silence.ts';
import { handOverAnswers } from './hand-over-answers.ts';

/** First and longest pause between questions about a call that is still running, or to a bridge that does not answer, in milliseconds. */
const askPauseMs = 250;
const askPauseMostMs = 1_000;
/** Pause between questions about a call whose answer is still waited for, in milliseconds. */
const besidePauseMs = 30_000;
/** How long a bridge may hold back what it says of a call in the midst of which something was asked, in milliseconds. */
const newsWaitMs = 20_000;

/**
 * Asks the bridge that an attempt was sent to until it is known what became of it: not started (and never to be), its
 * outcome, or that nobody can tell. Undefined if this process ends first.
 */
export async function askFence(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
): Promise<ExecuteOutcome | undefined> {
  const { clock } = driver.ports;
  const silence = new BridgeSilence(driver.ports, bridge);
  for (let pauseMs = askPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, askPauseMostMs)) {
    if (driver.stopping.aborted) return undefined;
    try {
      const answer = await askOnce(driver, key, bridge);
      if (answer.kind !== 'running') return answer;
      silence.broken();
      const { questions, lapsed } = answer;
      if (questions.length + lapsed.length > 0) return await waitForAnswers(driver, key, bridge, questions, lapsed);
    } catch (error) {
      if (silence.isFinal(error)) return endedWithin;
    }
    await clock.sleep(pauseMs).catch(() => undefined);
  }
}

/**
 * Asks now and then about an attempt that was sent and whose answer has not come: it may have got lost on a connection that
 * lasts. A call that runs goes on undisturbed. Rejects when the signal aborts.
 */
export async function askBeside(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
  signal: AbortSignal,
): Promise<ExecuteAnswer> {
  for (;;) {
    await driver.ports.clock.sleep(besidePauseMs, signal);
    const answer = await askOnce(driver, key, bridge).catch(() => undefined);
    if (answer?.kind === 'running' && answer.questions.length > 0)
      return { kind: 'asking', questions: answer.questions };
    if (answer !== undefined && answer.kind !== 'running') return answer;
  }
}

/**
 * A call in the midst of which its server asks people, or the agent's model: puts the questions on the record, has the model answer
 * its own, hands the answers over, and waits for what becomes of the call, as {@link askFence} does. It is under way all the time:
 * this only asks about it.
 */
export async function waitForAnswers(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
  questions: AskedQuestions,
  lapsedBefore: readonly string[] = [],
): Promise<ExecuteOutcome | undefined> {
  const over = new AbortController();
  let asked = questions;
  const waitedFor = (questionId: string): boolean => asked.some(({ id }) => id === questionId);
  const handing = handOverAnswers(driver, key, bridge, waitedFor, over.signal);
  const sample = answerSamplings(driver, key, over.signal);
  const silence = new BridgeSilence(driver.ports, bridge);
  try {
    let lapsed = lapsedBefore;
    for (let pauseMs = askPauseMs; ; ) {
      if (driver.stopping.aborted) return undefined;
      const { callId, attempt } = key;
      // Whoever drives the run by then, or nobody: what becomes of the call is still learnt.
      await driver.submit({ type: 'callAsked', callId, attempt, bridge, questions: asked, lapsed });
      sample(asked);
      try {
        const known = asked.map(({ id }) => id);
        const answer = await askOnce(driver, key, bridge, { known, waitMs: newsWaitMs });
        if (answer.kind !== 'running') return answer;
        ({ questions: asked, lapsed } = answer);
        silence.broken();
        pauseMs = askPauseMs;
      } catch (error) {
        if (silence.isFinal(error)) return endedWithin;
        await driver.ports.clock.sleep(pauseMs).catch(() => undefined);
        pauseMs = Math.min(1.5 * pauseMs, askPauseMostMs);
      }
    }
  } finally {
    over.abort(new Error('the call is over'));
    await handing;
  }
}

const endedWithin = {
  kind: 'unknown',
  message: 'the process that made the call has ended, and nobody knows how the call ended',
} as const;

/** What became of an attempt, or what it asks while it runs. Rejects if no answer comes. */
async function askOnce(
  driver: RunHandle,
  key: AttemptKey,
  bridge: string,
  news?: FenceNews,
): Promise<ExecuteOutcome | Extract<FenceOutcome, { kind: 'running' }>> {
  const answer = await driver.ports.tools.fence(key, bridge, news);
  switch (answer.kind) {
    case 'never_seen':
      return { kind: 'fenced' };
    case 'forgotten':
      return { kind: 'unknown', message: 'the tool bridge no longer knows how the call ended' };
    case 'outcome':
      return answer.outcome;
    case 'running':
      return answer;
  }
}
