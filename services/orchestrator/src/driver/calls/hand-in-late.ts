import {
  type CallOutcomeCommand,
  conversationStream,
  type DelegationAskedCommand,
  decideLate,
  evolve,
} from '@stopgo/core';
import { appendUntilKnown, untilAnswered } from '@stopgo/log';
import { delegationCommand } from '../delegations/delegation-outcome.ts';
import { lookUpDelegation } from '../delegations/send-delegation.ts';
import type { RunHandle } from '../handle/run-handle.ts';

/** Conflicts in a row after which a late outcome is not handed in: the run has moved on without it. */
const conflictsMax = 20;

/**
 * Records the outcome of a call that came too late for the run as this driver knew it: the run was canceled, or another
 * process drives it now. A result settles a call in doubt that nobody has decided, else it is noted; that nobody can tell how
 * a call of a settled run ended is noted too. What a task asks that is for nobody here any more ends the task.
 */
export async function handInLate(
  driver: RunHandle,
  stepId: string,
  command: CallOutcomeCommand | DelegationAskedCommand,
  argumentsJson: string,
): Promise<void> {
  const outcome = command.type === 'delegationAsked' ? await endedThere(driver, command, argumentsJson) : command;
  if (
    outcome === undefined ||
    (outcome.type !== 'callFinished' && outcome.type !== 'callUnknown') ||
    driver.stopping.aborted
  )
    return;
  const { log, clock, random, newId, instance } = driver.ports;
  const stopped = driver.stopping;
  const load = () => untilAnswered(() => log.load(driver.conversationId), clock, random, stopped);
  let { state } = await load();
  const key = newId();
  for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
    const facts = decideLate(state, driver.runId, stepId, outcome);
    if (facts.length === 0) return;
    const append = {
      stream: conversationStream(driver.conversationId),
      expectedRevision: state.revision,
      facts,
      actor: { kind: 'system', id: instance } as const,
      correlationId: state.sessionId,
      causationId: driver.runId,
      // A key of its own for each decision: the same key must mean the same events.
      key: `${key}.${conflicts}`,
      now: clock.now(),
      eventIds: facts.map(() => newId()),
    };
    const result = await appendUntilKnown(log, append, clock, random, stopped);
    if (result.kind !== 'conflict') return driver.handedIn();
    for (const event of result.unseen) if (event.revision === state.revision + 1) state = evolve(state, event);
    if (state.revision < result.currentRevision) state = (await load()).state;
  }
}

/** What the task of a run comes to that has ended here, right before it asked something. Undefined if the run goes on. */
async function endedThere(
  driver: RunHandle,
  { callId }: DelegationAskedCommand,
  argumentsJson: string,
): Promise<CallOutcomeCommand | DelegationAskedCommand | undefined> {
  const { run } = driver.state;
  const call = run?.id === driver.runId ? run.calls[callId] : undefined;
  if (driver.isOpen() || call?.sent === undefined) return undefined;
  const end = await lookUpDelegation(driver, call, argumentsJson, driver.stopping);
  return delegationCommand(call, end, argumentsJson);
}
