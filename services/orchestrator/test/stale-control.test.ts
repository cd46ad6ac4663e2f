import { randomUUID } from 'node:crypto';
import { fact, initialState, type Principal, type RecordedFact, type RunState } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { cancel } from '../src/cancel-run.ts';
import { controlService } from '../src/control-service.ts';
import { provide } from '../src/provide-input.ts';
import { driverWith } from './driver/one-driver.ts';

type Asks = (registry: never, turns: never, conversationId: string, context: never) => Promise<unknown>;

const inputId = randomUUID();
const calls = {
  'root#1.0': { id: 'root#1.0', phase: 'waiting', stepId: 'root', attempt: 0, asked: 0, tool: 'request_user_input' },
};
const open = { id: 'r', status: 'open', interrupts: {}, calls, steps: {} } as unknown as RunState;
const completed = { ...open, calls: {}, status: 'completed' } as RunState;

/** What somebody asks for of a store that shows an older state; `after`: what the log has since. */
async function behind(ask: Asks, run: RunState | null, after: readonly RecordedFact['fact'][]): Promise<unknown> {
  const { ports } = driverWith({});
  const conversationId = randomUUID();
  const state = { ...initialState, id: conversationId, revision: 5, run };
  const log = {
    ...ports.log,
    load: async () => ({ conversationId, state: { ...state, revision: 5 + after.length }, knownKeys: [] }),
    append: ({ facts: made }: { readonly facts: readonly { readonly case: string }[] }) =>
      Promise.reject(new Error(`put on the record: ${made.map((one) => one.case).join(', ')}`)),
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
  const turns = { ofState: async () => 'it goes on', now: async () => 'as it is' };
  const context = { principal: { kind: 'anonymous' } as Principal };
  return ask(registry as never, turns as never, conversationId, context as never).catch((error: unknown) => error);
}

const watch = { ended: async () => undefined } as never;
const resumes: Asks = (registry, turns, conversationId, context) =>
  Promise.resolve(
    controlService({ registry, watch }, turns).unpauseRun({ conversationId, limits: [] } as never, context),
  );
const cancels: Asks = (registry, turns, conversationId, context) =>
  cancel({ registry, watch }, turns, { conversationId, reason: 'enough' } as never, context);
const answers: Asks = (registry, turns, conversationId, context) => {
  const request = {
    conversationId,
    inputId,
    contentJson: '{"answer":"the red one"}',
    action: facts.InputAction.ACCEPT,
  };
  return provide({ registry, keepBlob: async () => false }, turns, request as never, context);
};

const paused = fact('runPaused', { runId: 'r', by: 'ada' });

test('who resumes a run that is paused on the record resumes it, though the store does not show it yet', async () => {
  expect(await behind(resumes, open, [paused])).toMatchObject({ message: 'put on the record: runResumed' });
});

test('who resumes a run that goes on is told how it stands, and nothing is recorded', async () => {
  expect(await behind(resumes, open, [])).toEqual({ turn: 'it goes on' });
  const again = [paused, fact('runResumed', { runId: 'r', by: 'bob' })];
  expect(await behind(resumes, open, again)).toEqual({ turn: 'it goes on' });
});

const follows = [
  fact('userMessageReceived', { runId: 'r2', text: 'and now?' }),
  fact('runStarted', { runId: 'r2', agentDigest: 'a', toolsetDigest: 't' }),
];

test.each([
  ['no run', null],
  ['a run that has ended', completed],
])('who cancels a run that has begun cancels it, though the store shows %s yet', async (_, run) => {
  expect(await behind(cancels, run, follows)).toMatchObject({ message: 'put on the record: runCanceled' });
  // Nor does what it shows still say that the run goes on.
  const ended = [...follows, fact('runCompleted', { runId: 'r2' })];
  expect(await behind(cancels, run, ended)).toMatchObject({ details: { reason: 'settled', status: 'completed' } });
});

test('who cancels where the log has no more than the store is told that there is nothing to cancel', async () => {
  expect(await behind(cancels, null, [])).toMatchObject({ details: { reason: 'no_run' } });
  expect(await behind(cancels, completed, [])).toMatchObject({ details: { reason: 'settled', status: 'completed' } });
});

const agentQuestion = {
  type: facts.InputType.TEXT,
  required: true,
  agent: 'a',
  node: 'a',
  tool: 'request_user_input',
};
const asked = fact('inputRequested', {
  ...{ inputId, runId: 'r', stepId: 'root', callId: 'root#1.0', kind: facts.InputKind.REQUEST, prompt: 'Which?' },
  agentQuestion,
});

test('who answers what is asked on the record is taken, though the store does not show the question yet', async () => {
  expect(await behind(answers, open, [asked])).toMatchObject({ message: /^put on the record: inputProvided/ });
  expect(await behind(answers, open, [])).toMatchObject({ kind: 'not_found' });
  const provided = fact('inputProvided', { inputId, runId: 'r', action: facts.InputAction.ACCEPT });
  expect(await behind(answers, open, [asked, provided])).toMatchObject({ details: { reason: 'settled' } });
});
