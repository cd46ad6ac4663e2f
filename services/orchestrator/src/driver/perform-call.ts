import type { CallState, Effect } from '@stopgo/core';
import type { ExecuteRequest } from '../tool-port.ts';
import { askFence } from './ask-fence.ts';
import { argumentsOf } from './call-arguments.ts';
import { handInLate } from './hand-in-late.ts';
import { authPrompt, outcomeCommand } from './outcomes.ts';
import type { RunDriver } from './run-driver.ts';
import { stopWithRun } from './stop-call.ts';

/** Tries of a call that is safe to repeat while no answer comes. */
const repeatsMax = 3;
/** Pause before such a repeat, in milliseconds. */
const repeatPauseMs = 250;

/**
 * Makes a call. One that must not run twice is fenced first: `ToolCallStarted` is appended by this driver, and only then,
 * and only while this process is surely alive to all others, is it sent, once.
 */
export async function performCall(
  driver: RunDriver,
  effect: Extract<Effect, { kind: 'call' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[effect.id];
  if (call === undefined) return;
  const { attempt } = effect;
  if (needsToken(driver, call)) {
    await driver.submit({ type: 'needToken', callId: call.id, prompt: authPrompt(call.server) });
    return;
  }
  const { bridge } = driver.ports.tools.catalogue();
  // The fence is submitted before anything is awaited, so that it shares the append of a claim.
  if (effect.fenced) {
    const taken = await driver.submit({ type: 'startCall', callId: call.id, attempt, bridge });
    if (taken !== 'applied') return;
  }
  const argumentsJson = await argumentsOf(driver, call, signal);
  // The last look before it is sent: nothing is awaited between this and the call.
  if (effect.fenced && !(await isStillMine(driver, call.id, attempt, signal))) return;
  if (signal.aborted) return;
  const request = requestOf(driver, call, attempt, bridge, argumentsJson);
  const stopWatching = stopWithRun(driver, request.key, bridge, signal);
  const sending = effect.fenced ? sendOnce(driver, request) : sendRepeatable(driver, request, signal);
  const outcome = await sending.finally(stopWatching);
  if (outcome === undefined) return;
  const command = outcomeCommand(call, attempt, outcome, argumentsJson);
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command);
}

function needsToken(driver: RunDriver, call: CallState): boolean {
  const forwards = driver.tools.get(call.tool)?.forwardsBearer === true;
  return forwards && driver.state.run?.bearerTokenPresent === true && driver.bearer === undefined;
}

/**
 * Right before a call that must not run twice: this process must have renewed its heartbeat lately. If it has not, it may
 * have been taken for dead, so it waits for a renewal and looks whether the attempt is still its own.
 */
async function isStillMine(driver: RunDriver, callId: string, attempt: number, signal: AbortSignal): Promise<boolean> {
  const { liveness } = driver.ports;
  if (liveness.isFresh()) return true;
  await liveness.renewed(signal);
  await driver.refresh();
  const call = driver.state.run?.calls[callId];
  return driver.isOwner() && call?.phase === 'started' && call.attempt === attempt;
}

function requestOf(
  driver: RunDriver,
  call: CallState,
  attempt: number,
  bridge: string,
  argumentsJson: string,
): ExecuteRequest {
  const { conversationId, runId, bearer } = driver;
  return {
    key: { conversationId, runId, callId: call.id, attempt },
    bridge,
    server: call.server,
    tool: call.tool,
    argumentsJson,
    approvalId: call.approvalId ?? '',
    digest: call.digest,
    pin: call.pin,
    ...(bearer === undefined ? {} : { bearer }),
    sessionId: driver.state.sessionId,
  };
}

/** Sends the one attempt. If no answer comes, the bridge is asked what became of it. */
async function sendOnce(driver: RunDriver, request: ExecuteRequest) {
  try {
    return await driver.ports.tools.execute(request);
  } catch {
    return await askFence(driver, request.key, request.bridge);
  }
}

async function sendRepeatable(driver: RunDriver, request: ExecuteRequest, signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await driver.ports.tools.execute(request);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (tries >= repeatsMax)
        return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) } as const;
      await driver.ports.clock.sleep(repeatPauseMs * tries, signal);
    }
  }
}
