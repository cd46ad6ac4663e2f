import { type Actor, type Fact, memoryStream, type RecordedFact } from '@stopgo/core';
import {
  evolveMemories,
  type Memories,
  type MemoryCall,
  type NewMemory,
  noMemories,
  removeMemory,
  saveMemory,
} from '@stopgo/core/memory';

export const agent = 'support/tier1';
/** When the first event of a story is recorded; each further one is a second later. */
export const start = Date.UTC(2026, 10, 27);
const ada: Actor = { kind: 'user', id: 'ada' };

export const call = (callId: string, runId = 'run-1'): MemoryCall => ({
  ...{ conversationId: '00000000-0000-4000-8000-00000000c0de', runId, stepId: 'root', callId },
});

/** A memory that is being written: what is decided against it becomes its next events. */
export class MemoryStory {
  readonly events: RecordedFact[] = [];
  memories: Memories = noMemories;

  get now(): number {
    return start + this.memories.revision * 1_000;
  }

  /** An agent saves a value, or a person does where there is no call. What becomes of it. */
  saves(key: string, value: unknown, by?: MemoryCall, expiresAt?: number) {
    const made: NewMemory = {
      ...{ key, valueJson: JSON.stringify(value) },
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const decision = saveMemory(this.memories, agent, made, this.now, by);
    if (decision.kind === 'append') this.#add(decision.facts, by === undefined ? ada : { kind: 'agent', id: agent });
    return decision;
  }

  removes(key: string): void {
    this.#add(removeMemory(this.memories, key, { now: this.now }), ada);
  }

  #add(facts: readonly Fact[], actor: Actor): void {
    for (const fact of facts) {
      const place = { stream: memoryStream(agent), eventId: '', causationId: '', correlationId: '' };
      const event = { ...place, revision: this.memories.revision + 1, time: this.now, actor, fact };
      this.events.push(event);
      this.memories = evolveMemories(this.memories, event);
    }
  }
}

/** Every kind of event there is. */
export function told(): MemoryStory {
  const story = new MemoryStory();
  story.saves('name', 'Ada', call('root#1.0'));
  story.saves('visit', { at: 'noon', guests: 3 }, call('root#1.1'), start + 2_500);
  story.saves('name', 'Ada L.');
  story.saves('city', null, call('root#1.0', 'run-2'));
  story.removes('name');
  return story;
}
