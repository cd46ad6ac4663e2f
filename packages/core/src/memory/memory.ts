/**
 * What an agent remembers from one run to the next: the fold of the stream that is named after it.
 *
 * 1. A key has one value: the latest that was saved. It is gone once it has expired, by the time of whoever looks.
 * 2. What has expired by the time of an event leaves the state with it: what is kept is bounded.
 * 3. A call that is repeated saves once: its append has a key of its own, and the latest calls are known again.
 */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { facts as wire } from '@stopgo/proto';
import type { Actor, NotOfMemory, RecordedFact } from '../events/facts.ts';
import { memoryCallsKept } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';

/** A call by which an agent saved something. */
export type MemoryCall = {
  readonly conversationId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly callId: string;
};

/** A value under a key. */
export type Memory = {
  readonly key: string;
  /** In canonical form. */
  readonly valueJson: string;
  /** From when on it is not there any more, in milliseconds since 1970; absent: it does not expire. */
  readonly expiresAt?: number;
  /** When the key was first saved, and when the value was, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly savedAt: number;
  readonly savedBy: Actor;
  /** The call that saved it; absent: a person did. */
  readonly call?: MemoryCall;
  /** Of the event that saved it. */
  readonly revision: number;
  /** What it takes of the room that an agent has, with its key, in bytes of UTF-8. */
  readonly bytes: number;
};

/** All that one agent remembers. */
export type Memories = {
  /** Revision of the last event folded; 0 before the first. */
  readonly revision: number;
  /** By key, in the order in which the keys were first saved. Some may have expired: see {@link memoriesAt}. */
  readonly entries: ReadonlyMap<string, Memory>;
  /** Keys and values together, in bytes of UTF-8. */
  readonly bytes: number;
  /** Ids of the latest calls that saved something (`idOfCall`). */
  readonly calls: readonly string[];
};

/** An agent that remembers nothing yet. */
export const noMemories: Memories = { revision: 0, entries: new Map(), bytes: 0, calls: [] };

/** What tells a call from all others, also from those of other runs. */
export const idOfCall = ({ runId, callId }: Pick<MemoryCall, 'runId' | 'callId'>): string => `${runId}/${callId}`;

/** What a value under a key takes of the room that an agent has, in bytes of UTF-8. */
export const bytesOfMemory = ({ key, valueJson }: Pick<Memory, 'key' | 'valueJson'>): number =>
  byteLength(key) + byteLength(valueJson);

/** What is there at a time, in milliseconds since 1970. */
export const memoriesAt = ({ entries }: Memories, now: number): readonly Memory[] =>
  [...entries.values()].filter((memory) => isThere(memory, now));

/** Whether a memory is there at a time. */
export const isThere = ({ expiresAt }: Memory, now: number): boolean => expiresAt === undefined || expiresAt > now;

/** What an agent remembers after one more event of its stream. Other facts change nothing but the revision. */
export function evolveMemories(before: Memories, event: RecordedFact): Memories {
  const { fact: one, revision, time } = event;
  switch (one.case) {
    case 'memorySaved': {
      const entries = unexpired(before, time);
      const { key } = one.value;
      entries.set(key, savedMemory(one.value, event, entries.get(key)));
      const calls = one.value.call === undefined ? before.calls : [...before.calls, idOfCall(one.value.call)];
      return { revision, entries, bytes: bytesOf(entries), calls: calls.slice(-memoryCallsKept) };
    }
    case 'memoryRemoved': {
      const entries = unexpired(before, time);
      entries.delete(one.value.key);
      return { ...before, revision, entries, bytes: bytesOf(entries) };
    }
    default:
      one.case satisfies NotOfMemory;
      return { ...before, revision };
  }
}

function unexpired({ entries }: Memories, time: number): Map<string, Memory> {
  return new Map([...entries].filter(([, memory]) => isThere(memory, time)));
}

function bytesOf(entries: ReadonlyMap<string, Memory>): number {
  let bytes = 0;
  for (const memory of entries.values()) bytes += memory.bytes;
  return bytes;
}

function savedMemory(saved: wire.MemorySaved, event: RecordedFact, known: Memory | undefined): Memory {
  const { key, valueJson, expiresAt, call } = saved;
  const { time, actor: savedBy, revision } = event;
  return {
    ...{ key, valueJson, savedBy, revision, savedAt: time, createdAt: known?.createdAt ?? time },
    bytes: bytesOfMemory(saved),
    ...(expiresAt === undefined ? {} : { expiresAt: timestampMs(expiresAt) }),
    ...(call === undefined ? {} : { call: callOf(call) }),
  };
}

const callOf = ({ conversationId, runId, stepId, callId }: wire.MemoryCall): MemoryCall => ({
  ...{ conversationId, runId, stepId, callId },
});
