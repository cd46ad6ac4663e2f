import { type Actor, type Fact, memoryStream } from '@stopgo/core';
import {
  evolveMemories,
  type Memories,
  type Memory,
  type MemoryCall,
  memoryAt,
  type NewMemory,
  noMemories,
  noMemoryText,
  type SaveDecision,
  saveMemory,
  timeText,
  toldMemories,
} from '@stopgo/core/memory';
import { type Append, appendUntilKnown, type DefinitionPorts, recordedOf } from '@stopgo/log';
import type { MemoryPort } from './memory-port.ts';

/** Bytes of all memories together that are kept in this process, so that only what is new of them is read. The one in use is kept anyway. */
export const keptBytesMax = 64 * 1024 * 1024;
/** What a memory takes beside its keys and values, each of its values, and each call that it knows, in bytes; rather too much. */
const emptyBytes = 1_024;
const entryBytes = 512;
const callBytes = 256;
/** Longest pause before what conflicted is decided again, in milliseconds. */
const pauseMs = 50;

/** What is changed, and by whom. `D`: what is decided. */
export type MemoryChange<D> = {
  readonly actor: Actor;
  /** The same for repeats of the same change; absent: it is not repeated. */
  readonly key?: string;
  /** The run that it belongs to; absent: none. */
  readonly runId?: string;
  readonly decide: (memories: Memories, now: number) => D;
  readonly factsOf: (decision: D) => readonly Fact[];
};

/** What all agents remember, each in a stream of the log of its own. */
export class AgentMemories implements MemoryPort {
  readonly #ports: DefinitionPorts;
  /** The latest used last. */
  readonly #kept = new Map<string, Memories>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(ports: DefinitionPorts, bytesMax = keptBytesMax) {
    this.#ports = ports;
    this.#bytesMax = bytesMax;
  }

  /** What an agent remembers: never less than was acknowledged before. */
  async read(agent: string, signal: AbortSignal): Promise<Memories> {
    let memories = this.#kept.get(agent) ?? noMemories;
    const stream = memoryStream(agent);
    for await (const event of this.#ports.log.read(stream, memories.revision + 1, signal))
      memories = evolveMemories(memories, event);
    return this.#keep(agent, memories);
  }

  /** Decides and appends, deciding anew after each conflict. Nothing is appended if an append with this key is on the record already. */
  async change<D>(
    agent: string,
    { actor, key, runId = '', decide, factsOf }: MemoryChange<D>,
    signal: AbortSignal,
  ): Promise<{ readonly decision: D; readonly memories: Memories }> {
    const { log, clock, newId, random } = this.#ports;
    for (;;) {
      const memories = await this.read(agent, signal);
      const now = clock.now();
      const decision = decide(memories, now);
      const facts = factsOf(decision);
      if (facts.length === 0) return { decision, memories };
      const append: Append = {
        ...{ stream: memoryStream(agent), expectedRevision: memories.revision, facts, actor },
        ...{ correlationId: '', causationId: runId, key: key ?? newId(), now, eventIds: facts.map(() => newId()) },
      };
      const outcome = await appendUntilKnown(log, append, clock, random, signal);
      if (outcome.kind === 'appended')
        return { decision, memories: this.#keep(agent, recordedOf(append).reduce(evolveMemories, memories)) };
      // By a lost answer it may be this very append: either way it is there once.
      if (outcome.kind === 'duplicate') return { decision, memories: await this.read(agent, signal) };
      await clock.sleep(random() * pauseMs, signal);
    }
  }

  async save(agent: string, made: NewMemory, call: MemoryCall, signal: AbortSignal) {
    const { decision } = await this.change<SaveDecision>(
      agent,
      {
        actor: { kind: 'agent', id: agent },
        key: `${call.runId}/${call.callId}`,
        runId: call.runId,
        decide: (memories, now) => saveMemory(memories, agent, made, now, call),
        factsOf: (decided) => (decided.kind === 'append' ? decided.facts : []),
      },
      signal,
    );
    if (decision.kind === 'refused') return { content: `Nothing was saved: ${decision.why}.`, isError: true };
    const until = made.expiresAt === undefined ? '' : ` until ${timeText(made.expiresAt)}`;
    return { content: `Saved${until}.`, isError: false };
  }

  async load(agent: string, key: string, signal: AbortSignal) {
    const memories = await this.read(agent, signal);
    const now = this.#ports.clock.now();
    const memory: Memory | undefined = memoryAt(memories, key, now);
    if (memory !== undefined) return { content: memory.valueJson, isError: false };
    const text = noMemoryText(memories, key, now);
    return { content: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, isError: true };
  }

  async told(agent: string, keys: readonly string[], signal: AbortSignal) {
    return keys.length === 0 ? '' : toldMemories(await this.read(agent, signal), keys, this.#ports.clock.now());
  }

  /** Others may have read more meanwhile. */
  #keep(agent: string, memories: Memories): Memories {
    const known = this.#kept.get(agent);
    const latest = known !== undefined && known.revision > memories.revision ? known : memories;
    this.#forget(agent);
    this.#kept.set(agent, latest);
    this.#bytes += sizeOf(latest);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax || this.#kept.size === 1) break;
      this.#forget(oldest);
    }
    return latest;
  }

  #forget(agent: string): void {
    const known = this.#kept.get(agent);
    if (known === undefined) return;
    this.#kept.delete(agent);
    this.#bytes -= sizeOf(known);
  }
}

const sizeOf = ({ bytes, entries, calls }: Memories): number =>
  emptyBytes + bytes + entries.size * entryBytes + calls.length * callBytes;
