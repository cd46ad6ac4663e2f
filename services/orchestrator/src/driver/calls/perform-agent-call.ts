import { agentCallOf, type Effect, noSuchAgent } from '@stopgo/core';
import { toldState } from '@stopgo/core/shared-data';
import { isUnknown, type OpenWait } from '@stopgo/log';
import { messageOf } from '@stopgo/runtime';
import type { CalledDefinition } from '../../agents/callable.ts';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { sharedValues } from './shared-values.ts';

/** Pause before the registry is asked again, in milliseconds. */
const lookUpPauseMs = 1_000;

/**
 * Has an agent of this platform work on a call: what its name means now is put on the record, and the run goes on in its tree. A name
 * that means nothing is the call's result. While that cannot be learnt, the run waits, and says so.
 */
export async function performAgentCall(
  driver: RunHandle,
  { id: callId }: Extract<Effect, { kind: 'agent' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[callId];
  if (call?.target?.kind !== 'agent') return;
  const { agent: name } = call.target;
  const found = await meaningOf(driver, name, signal);
  if (found === undefined) {
    const attempt = call.attempt + 1;
    const failed = { callId, attempt, tool: call.tool, content: noSuchAgent(name), isError: true, durationMs: 0 };
    await driver.submit({ type: 'callFinished', ...failed });
    return;
  }
  const asked = agentCallOf(await argumentsOf(driver, call, signal));
  const {
    definitions,
    name: agent,
    contextScope: usual,
    source,
    agentsTold,
    memoryKeys = [],
    stateKeys = [],
    ...digests
  } = found;
  const contextScope = asked?.contextScope ?? usual;
  const isSpecific = contextScope === 'SPECIFIC';
  const keys = isSpecific ? memoryKeys : [];
  const memoriesTold = keys.length === 0 ? '' : await driver.ports.memories.told(agent, keys, signal);
  const stateTold = isSpecific ? await stateOf(driver, stateKeys, signal) : '';
  driver.define(definitions);
  await driver.submit({
    type: 'callAgent',
    callId,
    agent,
    ...digests,
    contextScope,
    memoriesTold,
    stateTold,
    ...(source && { source }),
    ...(agentsTold === undefined ? {} : { agentsTold }),
  });
}

/** What an agent is told of session state, and of what the agents of the run share, as both are now: later writes are not told (decision 0087). */
async function stateOf(driver: RunHandle, keys: readonly string[], signal: AbortSignal): Promise<string> {
  const { state, transcripts, conversationId } = driver;
  if (keys.length === 0 || state.run === null) return '';
  const { run, revision } = state;
  const shared = run.data?.filter(({ key }) => keys.includes(key)) ?? [];
  const values = await sharedValues(driver, shared, signal);
  const record = await transcripts.upTo(conversationId, revision, signal);
  return toldState(run, keys, (at) => record.textAt(at), values);
}

async function meaningOf(driver: RunHandle, name: string, signal: AbortSignal): Promise<CalledDefinition | undefined> {
  const { conversationId, runId, ports } = driver;
  let wait: OpenWait | undefined;
  try {
    for (;;) {
      try {
        return await ports.agents.forCall(name, signal);
      } catch (error) {
        if (signal.aborted || !isUnknown(error)) throw error;
        wait ??= ports.waits.begin({ conversationId, runId, kind: 'registry', name, reason: messageOf(error) });
        wait.tries(lookUpPauseMs);
        await ports.clock.sleep(lookUpPauseMs, signal);
      }
    }
  } finally {
    wait?.end();
  }
}
