import type { Clock } from '@stopgo/log';
import type { Callback } from '../delegation-port.ts';
import { askTimeoutMs, pollPatienceMs, pollPauseMostMs, pollPauseMs, sendTimeoutMs, streamIdleMs } from './bounds.ts';
import { NoSuchTask, NotTaken } from './failures.ts';
import type { Peer, Sending } from './peer.ts';
import { hasEnded, isWaiting, type RemoteAnswer, type RemoteTaskSeen } from './remote-answer.ts';
import { TimeLimit, withinTime } from './time-limit.ts';

/** Who is asked, and what goes with each request. */
export type Line = {
  readonly peer: Peer;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Sends a message, and gives what the agent answers: a message, or its task in the first state that is told when it has
 * ended or waits for somebody, or its stream has ended. `isBrief`: in the first state that is told at all. Rejects if the agent was lost before it named a task.
 */
export async function sendMessage(
  { peer, headers, clock, signal }: Line,
  sending: Sending,
  told: (task: RemoteTaskSeen) => void,
  isBrief = false,
): Promise<RemoteAnswer> {
  let last: RemoteAnswer | undefined;
  const limit = new TimeLimit(clock, signal);
  limit.within(sendTimeoutMs, 'the answer to the message');
  const scope = { headers: { ...headers, 'Idempotency-Key': sending.messageId }, signal: limit.signal };
  try {
    for await (const answer of peer.send(sending, scope)) {
      last = answer;
      if (answer.kind === 'message') break;
      told(answer.task);
      if (isBrief || isAtRest(answer.task)) break;
      limit.within(streamIdleMs, 'the next word of the stream');
    }
  } catch (error) {
    // The task is asked about instead.
    if (last === undefined || signal.aborted) throw error;
  } finally {
    limit.stop();
  }
  if (last === undefined) throw new Error('the agent has closed the stream without a word');
  return last;
}

/**
 * Asks about a task until it has ended or waits for somebody, less and less often. Rejects if the agent knows it no more, or
 * does not answer for a minute.
 */
export async function awaitEnd(
  line: Line,
  task: RemoteTaskSeen,
  told: (task: RemoteTaskSeen) => void,
): Promise<RemoteTaskSeen> {
  const { clock, signal } = line;
  let answeredAt = clock.monotonic();
  for (let pauseMs = pollPauseMs; ; pauseMs = Math.min(2 * pauseMs, pollPauseMostMs)) {
    await clock.sleep(pauseMs, signal);
    try {
      const seen = await askAbout(line, task.id);
      answeredAt = clock.monotonic();
      told(seen);
      if (isAtRest(seen)) return seen;
    } catch (error) {
      if (signal.aborted || error instanceof NoSuchTask || clock.monotonic() - answeredAt >= pollPatienceMs)
        throw error;
    }
  }
}

/** It does not go on by itself. */
export function isAtRest({ state }: RemoteTaskSeen): boolean {
  return hasEnded(state) || isWaiting(state);
}

/** What the agent says of a task now. */
export async function askAbout({ peer, headers, clock, signal }: Line, taskId: string): Promise<RemoteTaskSeen> {
  const seen = await withinTime(clock, askTimeoutMs, 'the answer about the task', signal, (over) =>
    peer.get(taskId, { headers, signal: over }),
  );
  if (seen.id !== taskId) throw new Error('the agent has answered about another task');
  return seen;
}

/** What an agent shows of the one message of a context; `several` is more than was asked for. */
export type InContext =
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'none' | 'several' | 'unlisted' };

/** Looks for the task that the agent made of the one message of a context. */
export async function findInContext({ peer, headers, clock, signal }: Line, contextId: string): Promise<InContext> {
  try {
    const tasks = await withinTime(clock, askTimeoutMs, 'the list of tasks', signal, (over) =>
      peer.list(contextId, { headers, signal: over }),
    );
    if (tasks === undefined) return { kind: 'unlisted' };
    const [first, second] = tasks;
    if (first === undefined) return { kind: 'none' };
    return second === undefined ? { kind: 'task', id: first.id } : { kind: 'several' };
  } catch (error) {
    // Not every agent lists its tasks.
    if (error instanceof NotTaken && !error.isOutage) return { kind: 'unlisted' };
    throw error;
  }
}

/** Has the agent call back whenever the task changes. */
export async function askToNotify(
  { peer, headers, clock, signal }: Line,
  taskId: string,
  callback: Callback,
): Promise<void> {
  await withinTime(clock, askTimeoutMs, 'the answer to a callback', signal, async (over) =>
    peer.notify?.(taskId, callback, { headers, signal: over }),
  );
}

/** Asks the agent to end a task. That it cannot be ended any more is no failure. */
export async function cancelTask({ peer, headers, clock, signal }: Line, taskId: string): Promise<void> {
  try {
    await withinTime(clock, askTimeoutMs, 'the answer to the cancel', signal, (over) =>
      peer.cancel(taskId, { headers, signal: over }),
    );
  } catch (error) {
    if (!(error instanceof NotTaken || error instanceof NoSuchTask)) throw error;
  }
}
