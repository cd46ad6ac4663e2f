import { agentCallOf, type Effect, noSuchAgent } from '@stopgo/core';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';

/**
 * Has an agent of this platform work on a call: what its name means now is put on the record, and the run goes on in its tree. A name
 * that means nothing is the call's result. Rejects with `unavailable` while that cannot be learnt.
 */
export async function performAgentCall(
  driver: RunHandle,
  { id: callId }: Extract<Effect, { kind: 'agent' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[callId];
  if (call?.target?.kind !== 'agent') return;
  const { agent: name } = call.target;
  const found = await driver.ports.agents.forCall(name, signal);
  if (found === undefined) {
    const attempt = call.attempt + 1;
    const failed = { callId, attempt, tool: call.tool, content: noSuchAgent(name), isError: true, durationMs: 0 };
    await driver.submit({ type: 'callFinished', ...failed });
    return;
  }
  const asked = agentCallOf(await argumentsOf(driver, call, signal));
  const { definitions, name: agent, contextScope, source, agentsTold, ...digests } = found;
  driver.define(definitions);
  await driver.submit({
    type: 'callAgent',
    callId,
    agent,
    ...digests,
    contextScope: asked?.contextScope ?? contextScope,
    ...(source && { source }),
    ...(agentsTold === undefined ? {} : { agentsTold }),
  });
}
