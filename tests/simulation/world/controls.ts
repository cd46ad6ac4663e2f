import { DomainError } from '@stopgo/core';
import type { OrchestratorProcess } from './orchestrator.ts';
import type { ConversationPlan } from './scenario.ts';
import type { World } from './world.ts';

/** What those who control runs take from the people that they are among. */
export type Controllers = {
  readonly world: World;
  /** A request to some orchestrator that is up. */
  ask<T>(what: string, serve: (orchestrator: OrchestratorProcess) => Promise<T>): Promise<T>;
  /** Complains of an answer that nobody may be given. */
  checkError(error: unknown, what: string): void;
  acknowledge(plan: ConversationPlan, what: string, holds: () => boolean): void;
  pause(mostMs: number): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Somebody has something to do: nobody is done before they are. */
  begin(work: Promise<void>): void;
  /** Nobody will ever answer this. */
  leave(interruptId: string): void;
};

/** How long people wait before they try again, in milliseconds. */
const againMs = 700;

/** Ends whatever step goes on at some moment, with all below it. */
export async function cancelSomeStep(people: Controllers, plan: ConversationPlan): Promise<void> {
  const { world } = people;
  await people.pause(5_000);
  const run = world.stream(plan.id)?.states.at(-1)?.run;
  const open = Object.values(run?.steps ?? {}).filter(({ id, finished }) => id !== 'root' && finished === undefined);
  if (open.length > 0) await cancelStep(people, plan, world.random.pick(open).id);
}

/** Ends a step, with all below it. */
export async function cancelStep(people: Controllers, plan: ConversationPlan, stepId: string): Promise<void> {
  const { world } = people;
  const key = plan.hasKeys ? world.ids.uuid() : '';
  const isTaken = await insist(people, 'a cancel of a step', (one) => one.cancelStep(plan.id, stepId, key));
  if (!isTaken) return;
  world.count('steps canceled');
  people.acknowledge(plan, `cancel of step ${stepId}`, () =>
    (world.stream(plan.id)?.facts ?? []).some(
      ({ fact }) => fact.case === 'stepCanceled' && fact.value.stepId === stepId,
    ),
  );
}

/** Pauses the run at some moment. */
export async function pauseSometime(people: Controllers, plan: ConversationPlan): Promise<void> {
  const { world } = people;
  await people.pause(4_000);
  const key = plan.hasKeys ? world.ids.uuid() : '';
  if (await insist(people, 'a pause', (one) => one.pauseRun(plan.id, key))) world.count('runs paused');
}

/** Has a run go on a while after it was paused, by whomever: an agent that has used what it may use may use as much again. */
export async function endPause(people: Controllers, plan: ConversationPlan, isAtLimit: boolean): Promise<void> {
  const { world } = people;
  if (isAtLimit) world.count('runs paused at a limit');
  await people.pause(isAtLimit ? 2_000 : 6_000);
  const key = plan.hasKeys ? world.ids.uuid() : '';
  if (await resumed(people, plan, key)) world.count('runs resumed');
}

/**
 * Has a run go on that is paused. Who is told that it goes on, or that it is not paused, looks again: a store that is behind may not know
 * yet that it was paused, and with the same key the same is answered. False if there is nothing to resume.
 */
async function resumed(people: Controllers, plan: ConversationPlan, key: string): Promise<boolean> {
  const since = pausedAt(people, plan);
  for (let own = key; ; own = key === '' ? '' : people.world.ids.uuid()) {
    const isTaken = await insist(people, 'a resume', (one) => one.unpauseRun(plan.id, own));
    if (since === undefined || pausedAt(people, plan) !== since) return isTaken;
    await people.pause(againMs);
  }
}

/** Since when the open run is paused, by the log; undefined if it is not. */
function pausedAt({ world }: Controllers, plan: ConversationPlan): number | undefined {
  const run = world.stream(plan.id)?.states.at(-1)?.run;
  return run?.status === 'open' ? run.paused?.at : undefined;
}

/** Tries until it is taken; false if there is nothing to do it to. */
async function insist(
  people: Controllers,
  what: string,
  serve: (orchestrator: OrchestratorProcess) => Promise<unknown>,
): Promise<boolean> {
  for (;;) {
    try {
      await people.ask(what, serve);
      return true;
    } catch (error) {
      // It is over by now.
      if (error instanceof DomainError && (error.kind === 'failed_precondition' || error.kind === 'not_found'))
        return false;
      people.checkError(error, what);
      await people.pause(againMs);
    }
  }
}
