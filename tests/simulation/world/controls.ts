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
};

/** How long people wait before they try again, in milliseconds. */
const againMs = 700;

/** Ends whatever step goes on at some moment, with all below it. */
export async function cancelSomeStep(people: Controllers, plan: ConversationPlan): Promise<void> {
  const { world } = people;
  await people.pause(5_000);
  const run = world.stream(plan.id)?.states.at(-1)?.run;
  const open = Object.values(run?.steps ?? {}).filter(({ id, finished }) => id !== 'root' && finished === undefined);
  if (open.length === 0) return;
  const stepId = world.random.pick(open).id;
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

/** Pauses the run at some moment, and has it go on a while later. */
export async function pauseForAWhile(people: Controllers, plan: ConversationPlan): Promise<void> {
  const { world } = people;
  await people.pause(4_000);
  const keys = plan.hasKeys ? [world.ids.uuid(), world.ids.uuid()] : ['', ''];
  if (!(await insist(people, 'a pause', (one) => one.pauseRun(plan.id, keys[0] ?? '')))) return;
  world.count('runs paused');
  await people.pause(6_000);
  if (await resumed(people, plan, 'a resume', keys[1] ?? '')) world.count('runs resumed');
}

/** Lets an agent that has used what it may use as much again. */
export async function letUseMore(people: Controllers, plan: ConversationPlan): Promise<void> {
  const { world } = people;
  world.count('runs paused at a limit');
  await people.pause(2_000);
  await resumed(people, plan, 'a resume at a limit', plan.hasKeys ? world.ids.uuid() : '');
}

/**
 * Has a run go on that is paused. Who is told that it goes on looks again: a store that is behind may not know yet that it was paused, and
 * with the same key the same is answered. False if there is nothing to resume.
 */
async function resumed(people: Controllers, plan: ConversationPlan, what: string, key: string): Promise<boolean> {
  const { world } = people;
  const pausedAt = () => world.stream(plan.id)?.states.at(-1)?.run?.paused?.at;
  const since = pausedAt();
  for (let own = key; ; own = key === '' ? '' : world.ids.uuid()) {
    if (!(await insist(people, what, (one) => one.unpauseRun(plan.id, own)))) return false;
    if (since === undefined || pausedAt() !== since) return true;
    await people.pause(againMs);
  }
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
