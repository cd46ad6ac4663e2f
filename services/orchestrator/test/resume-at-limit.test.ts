import { randomUUID } from 'node:crypto';
import { initialState, type Principal, principalKey, type RunState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { controlService } from '../src/control-service.ts';
import { driverWith } from './driver/one-driver.ts';

const ana = (scopes: readonly string[]) =>
  ({
    kind: 'user',
    id: 'ana',
    email: 'ana@x.example',
    name: 'Ana',
    role: 'USER',
    groups: [],
    scopes,
  }) as unknown as Principal;

/** Asks, with a key that has these scopes, that a run goes on which the platform has paused for a limit, or a person; what is said. */
async function resumed(scopes: readonly string[], limitStepId?: string): Promise<unknown> {
  const { ports } = driverWith({});
  const principal = ana(scopes);
  const paused = { by: '', reason: '', at: 0, ...(limitStepId === undefined ? {} : { limitStepId }) };
  const run = { id: 'r', status: 'open', interrupts: {}, calls: {}, steps: {}, paused } as unknown as RunState;
  const conversationId = randomUUID();
  const state = { ...initialState, id: conversationId, revision: 5, principal: principalKey(principal), run };
  const append = () => Promise.reject(new Error('it is put on the record'));
  const registry = {
    ports: { ...ports, log: { ...ports.log, append } },
    load: async () => ({ conversationId, state, knownKeys: [] }),
  };
  const parts = { registry, watch: { ended: async () => undefined } } as unknown as Parameters<
    typeof controlService
  >[0];
  const { unpauseRun } = controlService(parts, {} as never);
  const request = { conversationId, limits: [] } as unknown as Parameters<typeof unpauseRun>[0];
  const context = { principal } as unknown as Parameters<typeof unpauseRun>[1];
  return Promise.resolve(unpauseRun(request, context)).catch((error: unknown) => error);
}

test('who resumes a run at a limit lets an agent use as much again: that takes the right to approve', async () => {
  expect(await resumed(['converse'], 'root')).toMatchObject({ kind: 'permission_denied' });
  expect(await resumed(['converse', 'approve'], 'root')).toMatchObject({ message: 'it is put on the record' });
  expect(await resumed(['converse'])).toMatchObject({ message: 'it is put on the record' });
});
