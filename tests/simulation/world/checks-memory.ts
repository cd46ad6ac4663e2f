import { type FactOf, memoryRequestOf, memoryStream, memoryStreamPrefix } from '@stopgo/core';
import type { facts as wire } from '@stopgo/proto';
import { type Stream, short } from './event-store.ts';
import type { World } from './world.ts';

/** A call of a conversation that is about what an agent remembers. */
type MemoryCall = {
  readonly runId: string;
  readonly callId: string;
  readonly call: wire.Call;
  /** When it was recorded, in virtual time. */
  readonly at: number;
};

/** Those that were not refused. */
export function memoryCallsOf(stream: Stream): readonly MemoryCall[] {
  return placed(stream).flatMap(({ fact, at }) => {
    if (fact.case !== 'modelResponded') return [];
    const { runId, calls } = fact.value;
    return calls.filter(({ memoryOf }) => memoryOf !== '').map((call) => ({ runId, callId: call.callId, call, at }));
  });
}

/** Rule o: what an agent saves is saved once, and in its own memory; a load gives what was there at some time while it was made. */
export function checkMemories(world: World): void {
  const calls = new Map<string, MemoryCall>();
  for (const stream of world.store.conversations())
    for (const one of memoryCallsOf(stream)) calls.set(`${one.runId} ${one.callId}`, one);
  const saved = savedOnce(world, calls);
  for (const stream of world.store.conversations())
    for (const { fact, at, revision } of placed(stream)) {
      if (fact.case !== 'toolCallFinished' || fact.value.late) continue;
      const id = `${fact.value.runId} ${fact.value.callId}`;
      const asked = calls.get(id);
      if (asked === undefined) continue;
      const where = `${short(stream.name)} event ${revision}: ${asked.call.tool} of ${asked.call.memoryOf}`;
      if (asked.call.tool === 'load_memory') checkLoad(world, where, asked, fact.value, at);
      else if ((saved.get(id) ?? Number.POSITIVE_INFINITY) > at)
        world.violation('o', `${where} says that it is saved, and it was not (${fact.value.content})`);
    }
}

/** When each call has saved something, by its id. */
function savedOnce(world: World, calls: ReadonlyMap<string, MemoryCall>): ReadonlyMap<string, number> {
  const saved = new Map<string, number>();
  for (const stream of memoriesOf(world))
    for (const { fact, at, revision } of placed(stream)) {
      if (fact.case !== 'memorySaved') continue;
      const { agent, key, valueJson, call: by } = fact.value;
      const id = `${by?.runId} ${by?.callId}`;
      const asked = calls.get(id)?.call;
      const request = asked && memoryRequestOf(asked.tool, asked.argumentsJson);
      const where = `memory of ${agent} event ${revision}`;
      const isAsked = request?.type === 'save' && request.key === key && request.valueJson === valueJson;
      if (!isAsked || asked?.memoryOf !== agent || memoryStream(agent) !== stream.name)
        world.violation('o', `${where}: ${id} did not ask for this`);
      if (saved.has(id)) world.violation('o', `${where}: ${id} saves again`);
      saved.set(id, at);
      world.count('memories saved');
    }
  return saved;
}

function checkLoad(
  world: World,
  where: string,
  { call, runId, at: from }: MemoryCall,
  { content, isError }: FactOf<'toolCallFinished'>,
  to: number,
): void {
  const request = memoryRequestOf(call.tool, call.argumentsJson);
  if (request.type !== 'load') return;
  const history = placed(world.store.stream(memoryStream(call.memoryOf))).flatMap(({ fact, at }) =>
    fact.case === 'memorySaved' && fact.value.key === request.key ? [{ ...fact.value, at }] : [],
  );
  const before = history.filter(({ at }) => at < from).at(-1);
  const there = [before, ...history.filter(({ at }) => at >= from && at <= to)];
  const found = there.find((one) => (isError ? one === undefined : one?.valueJson === content));
  if (!isError && found === undefined)
    world.violation('o', `${where} gives ${content}; there was ${there.map((one) => one?.valueJson).join(', ')}`);
  if (isError && before !== undefined) world.violation('o', `${where} misses ${before.valueJson}: ${content}`);
  world.count(isError ? 'memories missed' : 'memories loaded');
  if (found !== undefined && found.call?.runId !== runId) world.count('memories of another run loaded');
}

const memoriesOf = (world: World): readonly Stream[] =>
  [...world.store.streams.values()].filter(({ name }) => name.startsWith(memoryStreamPrefix));

/** The events of a stream, each with the virtual time at which it took effect. */
const placed = (stream: Stream | undefined) =>
  (stream?.made ?? []).flatMap(({ at, firstRevision, lastRevision }) =>
    (stream?.facts ?? []).slice(firstRevision - 1, lastRevision).map((event) => ({ ...event, at })),
  );
