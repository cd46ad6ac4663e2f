import { type CallState, type Effect, isUnderWay, serverOf } from '@stopgo/core';
import { endUnanswered } from '../delegations/send-delegation.ts';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { CallPlace, CallWay } from '../handle/call-way.ts';
import { authPrompt, needsToken } from '../handle/needs-token.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { surelyStill, sureOf } from '../handle/sure-of.ts';
import { handInLate } from './hand-in-late.ts';
import { wayOf } from './ways.ts';

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
  const way = wayOf(call?.target);
  if (call === undefined || way === undefined) return;
  const { attempt } = effect;
  if (needsToken(driver, call)) {
    await driver.submit({ type: 'needToken', callId: call.id, prompt: authPrompt(call) });
    return;
  }
  // One that never gets through is not tried as fast as it fails: each attempt is two events in the log.
  if (effect.fenced && attempt > quickAttemptsMax) await driver.ports.clock.sleep(pauseBefore(attempt), signal);
  await way.whenItMay(
    driver,
    call,
    effect,
    signal,
    (now, place) => begun(driver, way, now, effect, place, signal),
    () => performCall(driver, effect, signal),
  );
}

/** Puts on the record that the call begins, makes it, and puts down what it came to. */
async function begun(
  driver: RunHandle,
  way: CallWay,
  call: CallState,
  effect: Extract<Effect, { kind: 'call' }>,
  place: CallPlace,
  signal: AbortSignal,
): Promise<void> {
  const { attempt } = effect;
  const sureUntil = sureOf(driver);
  if (effect.fenced) {
    const taken = await driver.submit({ type: 'startCall', callId: call.id, attempt, bridge: place.bridge });
    if (taken !== 'applied') return;
  }
  const argumentsJson = await argumentsOf(driver, call, signal);
  // The last look before it is sent: nothing is awaited between this and the call.
  if (!(await surelyStill(driver, sureUntil, () => isMine(driver, effect), signal))) return;
  if (signal.aborted) return;
  tellUnasked(driver, call, attempt);
  const command = await way.send(driver, call, effect, place, argumentsJson, signal);
  if (command === undefined) return;
  const fenced = driver.state.run?.calls[call.id] ?? call;
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command, argumentsJson);
  else endUnanswered(driver, fenced, command, argumentsJson);
}

/** An approval of a call that no human had to be asked about is one of policy. */
function tellUnasked(driver: RunHandle, call: CallState, attempt: number): void {
  if (call.gated || call.approvalId === undefined || attempt > 1) return;
  const { id, stepId: step, tool } = call;
  const server = serverOf(call.target);
  driver.ports.onUnasked?.({ conversation: driver.conversationId, step, call: id, tool, server });
}

function pauseBefore(attempt: number): number {
  return Math.min(attemptPauseMs * 2 ** (attempt - quickAttemptsMax), attemptPauseMostMs);
}

/** The attempt is this process' own, as far as it has seen the log. One that is safe to repeat may have no start on the record. */
function isMine(driver: RunHandle, { id, attempt, fenced }: Extract<Effect, { kind: 'call' }>): boolean {
  const call = driver.state.run?.calls[id];
  if (!driver.isOwner() || call === undefined) return false;
  if (fenced) return call.phase === 'started' && call.attempt === attempt;
  return driver.state.run?.paused === undefined && isUnderWay(call, attempt);
}
