import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  actorFromWire,
  actorToWire,
  canonicalArguments,
  type Fact,
  invalidArgument,
  requireAllowed,
  unavailable,
} from '@stopgo/core';
import {
  holdsWords,
  type Memories,
  type Memory,
  memoriesAt,
  type NewMemory,
  removeMemory,
  requireMemory,
  setMemory,
} from '@stopgo/core/memory';
import { type Clock, commandDeadlineMs } from '@stopgo/log';
import type { memory as wire } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { AgentMemories } from './agent-memories.ts';

const limitDefault = 50;
const limitMax = 200;
const nameCharactersMax = 300;

/** What people look at, and change, of what agents remember. */
export function memoryService(memories: AgentMemories, clock: Clock): ServiceImpl<typeof wire.MemoryService> {
  const change = async (
    agent: string,
    actor: Parameters<typeof actorFromWire>[0],
    decide: Decide,
    signal: AbortSignal,
  ) =>
    (
      await memories.change(
        checkedName(agent),
        { actor: actorFromWire(actor), decide, factsOf: (facts: readonly Fact[]) => facts },
        signal,
      )
    ).memories;
  return {
    async listMemories({ agent, query, limit, cursor }, { principal, signal }) {
      requireAllowed(principal, 'memory.read');
      const known = await inTime(signal, (soon) => memories.read(checkedName(agent), soon));
      const words = query.split(/\s+/u).filter((word) => word !== '');
      const found = memoriesAt(known, clock.now())
        .filter((one) => holdsWords(one, words))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
      const rest = cursor === '' ? found : found.filter(({ key }) => key > cursor);
      const page = rest.slice(0, limit === 0 ? limitDefault : Math.min(limit, limitMax));
      return {
        memories: page.map((one) => shown(agent, one)),
        nextCursor: page.length < rest.length ? (page.at(-1)?.key ?? '') : '',
        total: found.length,
      };
    },

    async getMemory({ agent, key }, { principal, signal }) {
      requireAllowed(principal, 'memory.read');
      const known = await inTime(signal, (soon) => memories.read(checkedName(agent), soon));
      return { memory: shown(agent, requireMemory(known, key, clock.now())) };
    },

    async setMemory({ agent, key, valueJson, expiresAt, expectedRevision: expected, actor }, { principal, signal }) {
      requireAllowed(principal, 'memory.change');
      const until = expiresAt === undefined ? {} : { expiresAt: timestampMs(expiresAt) };
      const made: NewMemory = { key, valueJson: canonicalValue(valueJson), ...until };
      let created = false;
      const after = await inTime(signal, (soon) =>
        change(
          agent,
          actor,
          (before, now) => {
            created = !memoriesAt(before, now).some((one) => one.key === key);
            return setMemory(before, agent, made, { expected, now });
          },
          soon,
        ),
      );
      return { memory: shown(agent, requireMemory(after, key, Number.NEGATIVE_INFINITY)), created };
    },

    async removeMemory({ agent, key, expectedRevision: expected, actor }, { principal, signal }) {
      requireAllowed(principal, 'memory.change');
      await inTime(signal, (soon) =>
        change(agent, actor, (before, now) => removeMemory(before, key, { expected, now }), soon),
      );
      return {};
    },
  };
}

type Decide = (memories: Memories, now: number) => readonly Fact[];

/** @throws DomainError `unavailable` if the log has not answered by then. */
async function inTime<T>(signal: AbortSignal, work: (soon: AbortSignal) => Promise<T>): Promise<T> {
  const time = AbortSignal.timeout(commandDeadlineMs);
  try {
    return await work(AbortSignal.any([signal, time]));
  } catch (error) {
    if (!time.aborted) throw error;
    throw unavailable('the event log does not answer; try again');
  }
}

function checkedName(agent: string): string {
  if (agent === '' || agent.length > nameCharactersMax)
    throw invalidArgument(`agent must have 1 to ${nameCharactersMax} characters`, { field: 'agent' });
  return agent;
}

/** In the one form in which values are kept. @throws DomainError `invalid_argument` for what has none. */
function canonicalValue(valueJson: string): string {
  const read = canonicalArguments(`{"value":${valueJson === '' ? 'none' : valueJson}}`);
  if ('json' in read && read.json.startsWith('{"value":')) return read.json.slice('{"value":'.length, -1);
  throw invalidArgument('value_json must be a JSON value with numbers that a double keeps', { field: 'value_json' });
}

function shown(agent: string, memory: Memory): MessageInitShape<typeof wire.MemorySchema> {
  const { key, valueJson, expiresAt, createdAt, savedAt, savedBy, call, revision } = memory;
  return {
    ...{ agent, key, valueJson, revision, savedBy: actorToWire(savedBy), ...(call && { call }) },
    ...{ createdAt: timestampFromMs(createdAt), savedAt: timestampFromMs(savedAt) },
    ...(expiresAt === undefined ? {} : { expiresAt: timestampFromMs(expiresAt) }),
  };
}
