/**
 * Sends a delegation that is fenced, and finds out what became of it.
 *
 * 1. It is sent by the process whose append wrote `DelegationStarted`, once; again only if the agent promises to take a
 *    message of one id once.
 * 2. What nobody can tell is unknown after a while, never a failure: a human decides.
 * 3. Whatever it waits for ends: with the agent, with the process, or a while after the run has gone on without it.
 */
import {
  type CallState,
  type DelegationAskedCommand,
  delegationOf,
  type RemoteAgent,
  type RunCommand,
  type RunState,
  remoteAgentOf,
} from '@stopgo/core';
import type {
  AgentAsks,
  DelegationOutcome,
  DelegationRequest,
  DelegationUpdate,
  LookedUp,
} from '../../delegation-port.ts';
import { believed, lookedUp, tellDefect } from '../handle/agent-news.ts';
import { isWanted } from '../handle/is-wanted.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { stopWithRun } from '../handle/stop-call.ts';
import { AgentSilence } from './agent-silence.ts';

/** First and longest pause between questions about a task that goes on, in milliseconds. */
export const askPauseMs = 250;
export const askPauseMostMs = 15_000;
/** How long an agent that does not answer is asked, in milliseconds. Then nobody knows. */
export const patienceMs = 60_000;
/**
 * How long the answer is still waited for, at least, once the run goes on without it, in milliseconds: it was canceled, or
 * another process drives it now. Then the agent is asked, or left to that process. Twice that at most.
 */
const graceMs = 30_000;

/** The agent waits for answers; what is asked anew has a reason. */
export type Asking = AgentAsks & Pick<DelegationAskedCommand, 'closed' | 'notTaken' | 'reason'>;

/** What is known of an attempt in the end, or for as long as its agent waits for somebody. */
export type DelegationEnd = DelegationOutcome | Asking | { readonly kind: 'unknown'; readonly message: string };

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const timeIsUp = new Error('the run goes on without the answer, and the agent had its time');

/** Sends the one attempt that is on the record. Undefined if this process ends first. */
export async function sendDelegation(
  driver: RunHandle,
  call: CallState,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const request = requestOf(driver, call, argumentsJson);
  return attended(driver, request, signal, async (over) => {
    const { delegations } = driver.ports;
    const end = await delegations
      .delegate(request, (update) => note(driver, request, update), over)
      .catch((error: unknown) => tellDefect(driver.ports, error, `delegating to the agent ${request.agent.name}`));
    // What a run asks that is over is for nobody here: its task is to be ended.
    const isForNobody = end === undefined || (end.kind === 'asks' && !isWanted(driver, call.id));
    return isForNobody ? await findOut(driver, request, over) : end;
  });
}

/** Finds out what became of an attempt that is on the record and not under way here. Undefined if this process ends first. */
export async function lookUpDelegation(
  driver: RunHandle,
  call: CallState,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const request = requestOf(driver, call, argumentsJson);
  return attended(driver, request, signal, (over) => findOut(driver, request, over));
}

/** While it goes on: if its run is canceled, the agent is asked to stop. Once the run goes on without it, it has a while. */
export async function attended<T>(
  driver: RunHandle,
  request: DelegationRequest,
  signal: AbortSignal,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const { delegations } = driver.ports;
  const grace = new AbortController();
  const done = new AbortController();
  giveUpWhenLost(driver, request.key.callId, grace, done.signal).catch(() => undefined);
  const stopWatching = stopWithRun(driver, request.key.callId, signal, () =>
    delegations.cancel(latest(driver, request)),
  );
  try {
    return await work(AbortSignal.any([grace.signal, driver.stopping]));
  } finally {
    stopWatching();
    done.abort(timeIsUp);
  }
}

/** Aborts a while after this driver has stopped to be the run's owner, or the run to wait for the call. Rejects when the signal aborts. */
async function giveUpWhenLost(
  driver: RunHandle,
  callId: string,
  grace: AbortController,
  signal: AbortSignal,
): Promise<void> {
  for (let wasOwner = true; ; ) {
    await driver.ports.clock.sleep(graceMs, signal);
    const isOwner = driver.isOwner() && isWanted(driver, callId);
    if (!isOwner && !wasOwner) return grace.abort(timeIsUp);
    wasOwner = isOwner;
  }
}

/** Asks until something is known. Undefined if it is for another process to know. */
export async function findOut(
  driver: RunHandle,
  request: DelegationRequest,
  over: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const silence = new AgentSilence(driver, { agent: request.agent.name, callId: request.key.callId }, false);
  return untilKnown(driver, request, silence, over).finally(() => silence.end());
}

async function untilKnown(
  driver: RunHandle,
  request: DelegationRequest,
  silence: AgentSilence,
  over: AbortSignal,
): Promise<DelegationEnd | undefined> {
  const { clock } = driver.ports;
  let since = clock.monotonic();
  for (let pauseMs = askPauseMs; ; pauseMs = Math.min(2 * pauseMs, askPauseMostMs)) {
    if (driver.stopping.aborted || isAnothers(driver)) return undefined;
    const found = await askOnce(driver, request, silence, over).catch((error: unknown) =>
      tellDefect(driver.ports, error, `asking the agent ${request.agent.name} about its task`),
    );
    if (found?.kind === 'asks' && !isWanted(driver, request.key.callId))
      await driver.ports.delegations.cancel(latest(driver, request)).catch(() => undefined);
    else if (found !== undefined && found.kind !== 'running' && found.kind !== 'token_wanted') return found;
    // A task that goes on is waited for, as long as anybody wants it.
    if (found?.kind === 'running' && isWanted(driver, request.key.callId)) since = clock.monotonic();
    else if (clock.monotonic() - since >= patienceMs) return { kind: 'unknown', message: lost(request, found?.kind) };
    silence.again(pauseMs);
    await clock.sleep(pauseMs, driver.stopping).catch(() => undefined);
  }
}

/** Whoever owns the run by now asks as well. */
export function isAnothers(driver: RunHandle): boolean {
  return driver.isOpen() && !driver.isOwner();
}

/** The agent says nothing without a token, or another one. The message may be there: that is no refusal of it. */
type TokenWanted = { readonly kind: 'token_wanted' };

/** What the agent says of an attempt; if it may be sent again, what comes of that. Rejects if nothing is learnt. */
async function askOnce(
  driver: RunHandle,
  request: DelegationRequest,
  silence: AgentSilence,
  over: AbortSignal,
): Promise<DelegationEnd | Extract<LookedUp, { kind: 'running' }> | TokenWanted> {
  const { delegations } = driver.ports;
  const tell = (update: DelegationUpdate): void => note(driver, request, update);
  const stopping = driver.stopping;
  const found = await silence.during(() => lookedUp(driver.ports, latest(driver, request), stopping, stopping));
  if (found === undefined) throw new Error('nothing was learnt');
  // One that may be sent again is another matter: see there.
  const said = found.kind === 'repeatable' ? found : believed(latest(driver, request), found);
  switch (said.kind) {
    case 'outcome':
      return said.outcome;
    case 'running':
      tell(said);
      return said;
    case 'unauthenticated':
      return { kind: 'token_wanted' };
    case 'repeatable': {
      // Nobody wants it any more: what was sent was sent.
      if (!isWanted(driver, request.key.callId))
        return { kind: 'unknown', message: 'the run is over, and the agent has not said what it did' };
      // The promise is made to each caller, and without the token this would be another one.
      const now = latest(driver, request);
      if (now.hadToken === true && now.bearer === undefined)
        return { kind: 'unknown', message: 'the token with which the message was sent is not at hand any more' };
      const again = await delegations.delegate(now, tell, over);
      // That this sending came to nothing says nothing of the one before.
      if (again.kind === 'unavailable') throw new Error(again.message);
      if (again.kind === 'unauthenticated') return { kind: 'token_wanted' };
      return again;
    }
    default:
      return said;
  }
}

function lost({ agent }: DelegationRequest, kind: string | undefined): string {
  if (kind === undefined) return `the agent ${agent.name} was sent the message, and does not answer any more`;
  return kind === 'token_wanted'
    ? `the agent ${agent.name} was sent the message, and does not say what became of it without another bearer token`
    : `the run is over, and the agent ${agent.name} still works on the message`;
}

/** Puts on the record what has changed. Nobody waits for it: what is lost is learnt again by asking. */
export function note(driver: RunHandle, { key }: DelegationRequest, { task, text }: DelegationUpdate): void {
  const { callId, attempt } = key;
  void driver.submit({ type: 'delegationUpdated', callId, attempt, task, text });
}

/**
 * An agent whose delegation was failed here by what it asked waits for an answer that never comes, and its own people may still
 * say yes: it is asked to end the task. Nobody waits for that, and it is asked once.
 */
export function endUnanswered(driver: RunHandle, call: CallState, command: RunCommand, argumentsJson: string): void {
  if (command.type !== 'delegationAsked' || command.questions.length === 0) return;
  const { run } = driver.state;
  const now = run?.id === driver.runId ? run.calls[call.id] : undefined;
  if (now?.attempt === command.attempt && (now.phase === 'asking' || now.phase === 'started')) return;
  const request = { ...requestOf(driver, call, argumentsJson), taskId: command.task.id };
  void driver.ports.delegations.cancel(request).catch(() => undefined);
}

export function requestOf(driver: RunHandle, call: CallState, argumentsJson: string): DelegationRequest {
  const { conversationId, runId, bearer } = driver;
  if (call.sent === undefined) throw new Error(`the delegation ${call.id} was never started`);
  const { messageId, contextId, taskId } = call.sent;
  const { agent } = driver.definitionOf(call.stepId);
  return {
    key: { conversationId, runId, callId: call.id, attempt: call.attempt },
    ...delegationOf(agent, call, argumentsJson),
    messageId,
    contextId,
    taskId,
    ...(bearer === undefined ? {} : { bearer }),
    ...hadToken(driver.state.run, runId, remoteAgentOf(agent, call)),
    sessionId: driver.state.sessionId,
  };
}

/**
 * Whether what a run sends to an agent has been sent with a token from its beginning. Not known of runs that others have
 * followed, nor of one that was given its token later.
 */
export function hadToken(
  run: RunState | null,
  runId: string,
  agent: RemoteAgent | undefined,
): Pick<DelegationRequest, 'hadToken'> {
  const isSo = run?.id === runId && run.bearerTokenPresent && agent?.forwardsBearer === true;
  return isSo ? { hadToken: true } : {};
}

/** The request with the task that the record knows by now, and the latest token. */
export function latest(driver: RunHandle, request: DelegationRequest): DelegationRequest {
  const { run } = driver.state;
  const call = run?.id === driver.runId ? run.calls[request.key.callId] : undefined;
  const isSame = call?.attempt === request.key.attempt;
  const taskId = isSame ? call.sent?.taskId : undefined;
  const { bearer } = driver;
  const now = bearer === undefined || bearer === request.bearer ? request : { ...request, bearer };
  return taskId === undefined || taskId === '' ? now : { ...now, taskId };
}
