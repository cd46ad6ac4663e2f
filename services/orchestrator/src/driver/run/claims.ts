import type { ConversationState, RecordedFact, RunCommand } from '@stopgo/core';
import type { DriverPorts } from '../handle/ports.ts';

/**
 * Claims of a run in a row, by whatever processes, with nothing else between, before it is ended: one that kills the process
 * that drives it leaves no other trace. More than a run has bad luck.
 */
export const claimsMax = 20;
/**
 * How long ago the first of these claims may be, in milliseconds. A process that dies of a run is started again within
 * minutes; a run that waits for something long, and sees as many upgrades meanwhile, takes days.
 */
export const claimsWindowMs = 60 * 60_000;

/**
 * True if every driver of a run seems to die before it does anything. `last`: the last events of its stream, `claimsMax` of
 * them. `now`: the time that the end of the run would be recorded with, in milliseconds since 1970; all other times are the
 * recorded ones.
 */
export function killsItsDrivers(last: readonly RecordedFact[], runId: string, now: number): boolean {
  const [first] = last;
  if (first === undefined || last.length < claimsMax || now - first.time > claimsWindowMs) return false;
  return last.every(({ fact }) => fact.case === 'runClaimed' && fact.value.runId === runId);
}

/** A claim is decided by who is dead now: whoever owned the run when it was wanted may be another by now. */
export function claimAsOfNow(
  command: RunCommand,
  { run }: ConversationState,
  { instance, liveness }: Pick<DriverPorts, 'instance' | 'liveness'>,
): RunCommand {
  const owner = run?.owner?.instance;
  if (command.type !== 'claim' || owner === undefined) return command;
  // Of one process only the latest driver of a run is alive.
  return { type: 'claim', dead: owner === instance || liveness.isDead(owner) ? [owner] : [] };
}
