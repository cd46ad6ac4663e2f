import type { Effect, RunState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { performMemory } from '../../src/driver/calls/perform-memory.ts';
import type { RunHandle } from '../../src/driver/handle/run-handle.ts';
import { driverWith } from './one-driver.ts';

/** Saves to a memory, of a run that was paused since that was owed, or was not; what was saved. */
async function saved(paused: RunState['paused']): Promise<readonly string[]> {
  const keys: string[] = [];
  const { ports } = driverWith({});
  const memories = {
    save: async (_agent: string, { key }: { key: string }) => {
      keys.push(key);
      return { content: 'Saved.', isError: false };
    },
  };
  const target = { kind: 'memory', agent: 'a' };
  const call = {
    id: 'c',
    stepId: 'root',
    tool: 'save_memory',
    target,
    attempt: 0,
    phase: 'ready',
    repeatable: true,
    revision: 3,
  };
  const run = { id: 'r', status: 'open', calls: { c: call }, interrupts: {}, steps: {}, ...(paused && { paused }) };
  const handle = {
    ...{ conversationId: 'x', runId: 'r', ports: { ...ports, memories }, state: { run, revision: 4 } },
    isOwner: () => true,
    refresh: async () => undefined,
    submit: async () => undefined,
    transcripts: { argumentsOf: async () => '{"key":"k","value":{}}' },
  } as unknown as RunHandle;
  await performMemory(
    handle,
    { kind: 'memory', id: 'c' } as Extract<Effect, { kind: 'memory' }>,
    new AbortController().signal,
  );
  return keys;
}

test('nothing is saved for a run that was paused right before', async () => {
  expect(await saved(undefined)).toEqual(['k']);
  expect(await saved({ by: 'ada', reason: '', at: 0 })).toEqual([]);
});
