import type { CallOutcomeCommand, CallState, DelegationAskedCommand, Effect } from '@stopgo/core';
import type { ExecuteRequest } from '../../tool-port.ts';
import { delegationCommand } from '../delegations/delegation-outcome.ts';
import { endUnanswered, sendDelegation } from '../delegations/send-delegation.ts';
import { argumentsOf } from '../handle/call-arguments.ts';
import { authPrompt, needsToken } from '../handle/needs-token.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { surelyStill, sureOf } from '../handle/sure-of.ts';
import { handInLate } from './hand-in-late.ts';
import { outcomeCommand } from './outcomes.ts';
import { sendOnce, sendRepeatable } from './send-call.ts';
import { anyBridge } from './wait-for-bridge.ts';

/** Attempts of a call that follow each other at once; before each further one there is a pause, in milliseconds. */
const quickAttemptsMax = 3;
const attemptPauseMs = 125;
const attemptPauseMostMs = 5_000;

/**
 * Makes a call, of a tool or of another agent. One that must not run twice is fenced first: `ToolCallStarted` or
 * `DelegationStarted` is appended by this driver, and only then, and only while this process is surely alive to all
 * others, is it sent, once.
 */
export async function performCall(
  driver: RunHandle,
  effect: Extract<Effect, { kind: 'call' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[effect.id];
  if (call === undefined) return;
  const { attempt } = effect;
  if (needsToken(driver, call)) {
    await driver.submit({ type: 'needToken', callId: call.id, prompt: authPrompt(call) });
    return;
  }
  // One that never gets through is not tried as fast as it fails: each attempt is two events in the log.
  if (effect.fenced && attempt > quickAttemptsMax) await driver.ports.clock.sleep(pauseBefore(attempt), signal);
  const { tools } = driver.ports;
  // Nothing is put on the record before there is a bridge to make the call. If one is there, the fence is submitted before
  // anything is awaited, so that it shares the append of a claim.
  const bridge =
    call.agent === undefined
      ? (askingBridge(driver, effect) ?? tools.choose() ?? (await anyBridge(driver, signal)))
      : '';
  if (call.agent !== undefined) return begun(driver, call, effect, bridge, signal);
  const turn = tools.turn(bridge, call.server, signal);
  try {
    // What only waits for its turn is not on the record: if this process or the bridge dies now, it has certainly not run.
    if (turn.come !== undefined) {
      await turn.come;
      // Much may have happened since: all is looked at again, by a bridge that is there.
      if (driver.ports.liveness.isDead(bridge)) return await performCall(driver, effect, signal);
    }
    await begun(driver, driver.state.run?.calls[effect.id] ?? call, effect, bridge, signal);
  } finally {
    turn.leave();
  }
}

/**
 * The bridge at which this attempt was when its server asked people something, if that is alive: a call that is safe to repeat
 * would begin, and ask, anew anywhere else, and what was answered would be lost.
 */
function askingBridge(
  { state: { run }, ports }: RunHandle,
  { id, attempt }: Extract<Effect, { kind: 'call' }>,
): string | undefined {
  const open = Object.values(run?.inputs ?? {}).flatMap(({ callId, server }) =>
    server === undefined ? [] : [{ ...server, callId }],
  );
  const asked = [...Object.values(run?.settledInputs ?? {}), ...open];
  const bridge = asked.findLast((one) => one.callId === id && one.attempt === attempt)?.bridge;
  return bridge === undefined || ports.liveness.isDead(bridge) ? undefined : bridge;
}

/** Puts on the record that the call begins, makes it, and puts down what it came to. */
async function begun(
  driver: RunHandle,
  call: CallState,
  effect: Extract<Effect, { kind: 'call' }>,
  bridge: string,
  signal: AbortSignal,
): Promise<void> {
  const { attempt } = effect;
  const sureUntil = sureOf(driver);
  if (effect.fenced) {
    const taken = await driver.submit({ type: 'startCall', callId: call.id, attempt, bridge });
    if (taken !== 'applied') return;
  }
  const argumentsJson = await argumentsOf(driver, call, signal);
  // The last look before it is sent: nothing is awaited between this and the call.
  if (effect.fenced && !(await surelyStill(driver, sureUntil, () => isMine(driver, effect), signal))) return;
  if (signal.aborted) return;
  tellUnasked(driver, call, attempt);
  const command =
    call.agent === undefined
      ? await executed(driver, call, effect, requestOf(driver, call, attempt, bridge, argumentsJson), signal)
      : await delegated(driver, call.id, argumentsJson, signal);
  if (command === undefined) return;
  const fenced = driver.state.run?.calls[call.id] ?? call;
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command, argumentsJson);
  else endUnanswered(driver, fenced, command, argumentsJson);
}

/** An approval of a call that no human had to be asked about is one of policy. */
function tellUnasked(driver: RunHandle, call: CallState, attempt: number): void {
  if (call.gated || call.approvalId === undefined || attempt > 1) return;
  const { id, stepId: step, tool, server } = call;
  driver.ports.onUnasked?.({ conversation: driver.conversationId, step, call: id, tool, server });
}

async function executed(
  driver: RunHandle,
  call: CallState,
  { attempt, fenced }: Extract<Effect, { kind: 'call' }>,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<CallOutcomeCommand | undefined> {
  const send = fenced ? sendOnce : sendRepeatable;
  const outcome = await send(driver, request, signal);
  return outcome === undefined ? undefined : outcomeCommand(call, attempt, outcome, request.argumentsJson);
}

/** The call as its fence left it: with the ids that it is sent under. */
async function delegated(
  driver: RunHandle,
  callId: string,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<CallOutcomeCommand | DelegationAskedCommand | undefined> {
  const call = driver.state.run?.calls[callId];
  if (call?.sent === undefined) return undefined;
  return delegationCommand(call, await sendDelegation(driver, call, argumentsJson, signal), argumentsJson);
}

function pauseBefore(attempt: number): number {
  return Math.min(attemptPauseMs * 2 ** (attempt - quickAttemptsMax), attemptPauseMostMs);
}

/** The attempt is this process' own, as far as it has seen the log. */
function isMine(driver: RunHandle, { id, attempt }: Extract<Effect, { kind: 'call' }>): boolean {
  const call = driver.state.run?.calls[id];
  return driver.isOwner() && call?.phase === 'started' && call.attempt === attempt;
}

function requestOf(
  driver: RunHandle,
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
