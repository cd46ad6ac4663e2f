import type { DelegationPort } from '@stopgo/orchestrator';
import { checkAnswerSent, checkDelegated, noteLook, noteRefused } from './checks-tasks.ts';
import { crashes } from './log-port.ts';
import type { CallPlan, Fate } from './network.ts';
import type { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** How long a process waits for a task that goes on, in milliseconds: either it lost the line at some time, or it never does. */
const waitsMs = [5_000, 60_000] as const;

/** The way from a process to other agents, with the promises of the real one's contract, and only those. */
export function delegationPort(world: World, process: VirtualProcess): DelegationPort {
  const { network, faults, random, remote } = world;
  const sending = (fate: Fate, signal: AbortSignal): CallPlan => {
    if (faults.hit('freezeBeforeCall')) world.freeze(process, random.between(0.1, 6) * world.scenario.ttlMs);
    return {
      fate,
      signal,
      timeoutMs: random.pick(waitsMs),
      onLeave: () => {
        if (crashes(world, process, 'crashBeforeCall')) return true;
        if (faults.hit('crashInCall')) world.scheduler.after(network.delay(10), process, () => world.crash(process));
        return false;
      },
      onServed: () => {
        crashes(world, process, 'crashAfterCall');
      },
    };
  };
  return {
    delegate: (request, tell, signal) => {
      checkDelegated(world, process.name, request);
      return network.call(
        process,
        undefined,
        'delegate',
        () =>
          remote.send(request, ({ id, state }) => {
            world.scheduler.after(network.delay(), process, () => tell({ task: { id, state }, text: '' }));
          }),
        sending(fateOf(world, 'delegation'), signal),
      );
    },
    answer: async (request, answer, _tell, signal, mayGo) => {
      if (!(await mayGo())) return { kind: 'held' };
      const sent = checkAnswerSent(world, process.name, request, answer);
      const serve = () => remote.answer(process.name, request, answer);
      const said = await network.call(process, undefined, 'answer', serve, sending(fateOf(world, 'answer'), signal));
      if (said.kind === 'unavailable') noteRefused(sent);
      return said;
    },
    lookUp: (request, signal) =>
      network.call(
        process,
        undefined,
        'look at a task',
        () => {
          if (remote.isDown()) throw new Error('nobody is there');
          const found = remote.lookUp(request);
          noteLook(world, process.name, request, found);
          return found;
        },
        {
          signal,
          fate: faults.hit('lookFails') ? 'answer lost' : 'arrives',
          onServed: () => {
            if (faults.hit('freezeInLook')) world.freeze(process, random.between(0.1, 6) * world.scenario.ttlMs);
          },
        },
      ),
    notify: async () => ({ kind: 'not_offered' }),
    cancel: (request) =>
      network.call(
        process,
        undefined,
        'cancel a task',
        () => {
          if (!remote.isDown()) remote.cancel(request);
        },
        { fate: faults.hit('lookFails') ? 'lost' : 'arrives' },
      ),
  };
}

function fateOf({ faults }: World, what: 'delegation' | 'answer'): Fate {
  if (faults.hit(`${what}NeverArrives`)) return 'lost';
  if (faults.hit(`${what}Unheard`)) return 'answer lost';
  return faults.hit(`${what}LandsLate`) ? 'late' : 'arrives';
}
