import type { MemoryCall, NewMemory } from '@stopgo/core/memory';

/** What a call of an agent comes to, in words for its model. */
export type MemoryAnswer = { readonly content: string; readonly isError: boolean };

/** What agents remember. All reject with `unavailable` while that cannot be learnt, and when the signal aborts. */
export type MemoryPort = {
  /** Saves a value. The same call again saves nothing more, whatever was saved or removed since. */
  save(agent: string, made: NewMemory, call: MemoryCall, signal: AbortSignal): Promise<MemoryAnswer>;
  /** The value under a key, as JSON; never one older than what was saved before. */
  load(agent: string, key: string, signal: AbortSignal): Promise<MemoryAnswer>;
  /** What an agent is told of its memory when it is called: the values under these keys. Empty: there are none. */
  told(agent: string, keys: readonly string[], signal: AbortSignal): Promise<string>;
};
