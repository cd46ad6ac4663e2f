import { type Effect, isUnderWay, memoryRequestOf } from '@stopgo/core';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { surelyStill, sureOf } from '../handle/sure-of.ts';

/**
 * Saves to an agent's memory, or loads from it, and puts down what came of it. Neither is done any more once the run goes on without the
 * call. Rejects with `unavailable` while the memory is out of reach.
 */
export async function performMemory(
  driver: RunHandle,
  { id: callId }: Extract<Effect, { kind: 'memory' }>,
  signal: AbortSignal,
): Promise<void> {
  const { conversationId, runId, ports } = driver;
  const sureUntil = sureOf(driver);
  const call = driver.state.run?.calls[callId];
  if (call?.target?.kind !== 'memory') return;
  const { stepId, tool, target } = call;
  const attempt = call.attempt + 1;
  const asked = memoryRequestOf(tool, await argumentsOf(driver, call, signal));
  if (!(await surelyStill(driver, sureUntil, () => isOwed(driver, callId, attempt), signal))) return;
  if (signal.aborted || !isOwed(driver, callId, attempt)) return;
  const { memories, clock } = ports;
  const since = clock.monotonic();
  const answer = async () => {
    switch (asked.type) {
      case 'save':
        return memories.save(target.agent, asked, { conversationId, runId, stepId, callId }, signal);
      case 'load':
        return memories.load(target.agent, asked.key, signal);
      case 'malformed':
        return { content: `The arguments are not what the tool takes: ${asked.problem}.`, isError: true };
    }
  };
  const came = await answer();
  const durationMs = clock.monotonic() - since;
  await driver.submit({ type: 'callFinished', callId, attempt, tool, ...came, durationMs });
}

function isOwed(driver: RunHandle, callId: string, attempt: number): boolean {
  const call = driver.state.run?.calls[callId];
  const isPaused = driver.state.run?.paused !== undefined;
  return driver.isOwner() && !isPaused && call !== undefined && isUnderWay(call, attempt);
}
