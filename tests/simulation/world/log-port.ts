import {
  conversationOfStream,
  DomainError,
  fold,
  initialState,
  memoryStreamPrefix,
  type RecordedFact,
} from '@stopgo/core';
import type { Append, AppendOutcome, Beat, ConversationLog } from '@stopgo/log';
import type { CallPlan, Fate } from './network.ts';
import type { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** Most events that a stale read does not show. */
const behindMost = 6;

const isMemory = (stream: string): boolean => stream.startsWith(memoryStreamPrefix);

/** The log as one process reaches it: through a network that loses, delays and repeats, and past readers that lag. */
export function logPort(world: World, process: VirtualProcess): ConversationLog {
  const { network, faults, store, random } = world;
  const call = <T>(what: string, serve: () => T, plan?: CallPlan): Promise<T> =>
    network.call(process, undefined, what, () => world.reach(serve), plan);
  const reading = (): CallPlan => (faults.hit('readFails') ? { fate: 'answer lost' } : {});
  const behind = (): number => (faults.hit('staleRead') ? random.whole(1, behindMost) : 0);

  async function append(given: Append): Promise<AppendOutcome> {
    // A client of the store sends bytes: what is changed later in the caller's memory does not count.
    const sent = world.hasMutation('new-key-on-retry') ? { ...given, key: `${given.key} ${random.next()}` } : given;
    const isRisky = conversationOfStream(given.stream) !== undefined || isMemory(given.stream);
    const outcome = await call(`append to ${given.stream}`, () => store.append(process.name, sent), {
      fate: isRisky ? appendFate(world) : 'arrives',
      onLeave: () => isRisky && process.kind === 'orchestrator' && crashes(world, process, 'crashBeforeAppend'),
      onServed: () => {
        if (isRisky && process.kind === 'orchestrator') crashes(world, process, 'crashAfterAppend');
        const isFenceOf = (name: string) => given.facts.some((one) => one.case === name);
        if (
          (isFenceOf('delegationAnswered') && faults.hit('freezeAroundAnswer')) ||
          (isFenceOf('delegationStarted') && faults.hit('freezeAroundDelegation'))
        )
          world.freeze(process, random.between(0.1, 6) * world.scenario.ttlMs);
      },
    });
    world.count(outcome.kind);
    return outcome;
  }

  async function* read(stream: string, fromRevision: number, signal?: AbortSignal): AsyncGenerator<RecordedFact> {
    const plan = reading();
    const facts = await call(
      `read ${stream}`,
      () => {
        const all = store.stream(stream)?.facts ?? [];
        // Whoever reads such a stream goes by what it is told: the store has caught up by then.
        const late = isMemory(stream) ? 0 : behind();
        return all.slice(Math.max(0, fromRevision - 1), Math.max(0, all.length - late));
      },
      { ...plan, ...(signal === undefined ? {} : { signal }) },
    );
    yield* facts;
  }

  async function* follow(stream: string, fromRevision: number, signal: AbortSignal): AsyncGenerator<RecordedFact> {
    let next = fromRevision;
    while (!signal.aborted) {
      await world.until(process, () => (store.stream(stream)?.facts.length ?? 0) >= next, signal);
      if (signal.aborted) return;
      if (faults.hit('followBreaks')) {
        if (random.chance(0.5)) return;
        throw new DomainError('unavailable', 'the stream of events broke off');
      }
      const fact = world.reach(() => store.stream(stream)?.facts[next - 1]);
      if (fact === undefined) continue;
      next += 1;
      yield fact;
    }
  }

  return {
    append,
    // What comes over the network is a state, or the events since the one that is known: those are folded here.
    load: async (conversationId, keys = [], known) => {
      const { state, ...loaded } = await call(
        `load ${conversationId}`,
        () => store.load(conversationId, keys, behind(), known?.revision),
        reading(),
      );
      return { ...loaded, state: state ?? fold(known ?? initialState, loaded.unseen ?? []) };
    },
    read,
    follow,
    openRuns: (dueBy) => call('open runs', () => store.openRuns(dueBy), reading()),
    watchedRuns: () => call('watched runs', () => store.watchedRuns(), reading()),
    view: (conversationId) => call(`view of ${conversationId}`, () => store.view(conversationId), reading()),
  };
}

function appendFate({ faults }: World): Fate {
  if (faults.hit('appendAnswerLost')) return 'answer lost';
  if (faults.hit('appendNeverArrives')) return 'lost';
  if (faults.hit('appendLandsLate')) return 'late';
  return faults.hit('appendTwice') ? 'twice' : 'arrives';
}

/** True if the process dies of this fault. */
export function crashes(world: World, process: VirtualProcess, fault: Parameters<World['faults']['hit']>[0]): boolean {
  if (!process.isAlive || !world.faults.hit(fault)) return false;
  world.crash(process);
  return true;
}

/** How a process renews its heartbeat. `isCut` says whether its heartbeats (and nothing else of it) get lost now. */
export function beatPort(world: World, process: VirtualProcess, isCut: () => boolean): Beat {
  return (self, signal) =>
    world.network.call(
      process,
      undefined,
      `heartbeat of ${process.name}`,
      () => world.reach(() => world.store.beat(self, world.scenario.isTogether)),
      { signal, timeoutMs: 1_000, fate: isCut() ? 'lost' : 'arrives' },
    );
}
