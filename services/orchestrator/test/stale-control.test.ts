import { randomUUID } from 'node:crypto';
import { fact, initialState, type Principal, type RecordedFact, type RunState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { controlService } from '../src/control-service.ts';
import { driverWith } from './driver/one-driver.ts';

/** Asks that a run goes on, of a store that shows it as it was before it was paused; `after`: what the log has since. */
async function resumed(after: readonly RecordedFact['fact'][]): Promise<unknown> {
  const { ports } = driverWith({});
  const run = { id: 'r', status: 'open', interrupts: {}, calls: {}, steps: {} } as unknown as RunState;
  const conversationId = randomUUID();
  const state = { ...initialState, id: conversationId, revision: 5, run };
  const log = {
    ...ports.log,
    append: () => Promise.reject(new Error('it is put on the record')),
    async *read(_: string, from: number) {
      for (const [index, one] of after.entries())
        yield { revision: from + index, time: 0, actor: { kind: 'system', id: '' }, fact: one } as RecordedFact;
    },
  };
  const registry = {
    ports: { ...ports, log },
    load: async () => ({ conversationId, state, knownKeys: [] }),
    resume: async () => undefined,
    driver: () => undefined,
  };
  const parts = { registry, watch: { ended: async () => undefined } } as unknown as Parameters<
    typeof controlService
  >[0];
  const { unpauseRun } = controlService(parts, { ofState: async () => 'it goes on' } as never);
  const request = { conversationId } as unknown as Parameters<typeof unpauseRun>[0];
  const principal = { kind: 'anonymous' } as unknown as Principal;
  const answer = unpauseRun(request, { principal } as unknown as Parameters<typeof unpauseRun>[1]);
  return Promise.resolve(answer).catch((error: unknown) => error);
}

test('who resumes a run that is paused on the record resumes it, though the store does not show it yet', async () => {
  const paused = fact('runPaused', { runId: 'r', by: 'ada' });
  expect(await resumed([paused])).toMatchObject({ message: 'it is put on the record' });
});

test('who resumes a run that goes on is told how it stands, and nothing is recorded', async () => {
  expect(await resumed([])).toEqual({ turn: 'it goes on' });
  const again = [fact('runPaused', { runId: 'r', by: 'ada' }), fact('runResumed', { runId: 'r', by: 'bob' })];
  expect(await resumed(again)).toEqual({ turn: 'it goes on' });
});
