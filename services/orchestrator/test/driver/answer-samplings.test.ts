import type { LlmNode, RunCommand, ServerQuestion } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { answerSamplings } from '../../src/driver/questions/answer-samplings.ts';
import type { ModelOutcome, ModelPort, ModelRequest, OnRetry } from '../../src/models/port.ts';
import { driverWith } from './one-driver.ts';

const key = { conversationId: 'c', runId: '', callId: 'root#1.0', attempt: 1 };
const sampling = {
  systemPrompt: 'Be kind.',
  messages: [{ byModel: false, text: 'Hello?' }],
  maxTokens: 1_000_000,
  stopSequences: [],
};
const question = { id: 's-1', message: '', schemaJson: '', url: '', waitMs: 1_000, sampling };
const waiting: Pick<ServerQuestion, 'id' | 'callId' | 'kind'> = { id: 'i-1', callId: 'root#1.0', kind: 'sampling' };
const answer: ModelOutcome = {
  kind: 'answer',
  answer: {
    text: 'Hello.',
    calls: [],
    provider: 'gemini',
    model: 'm-1',
    usage: { inputTokens: 7, outputTokens: 3 },
    stopReason: 'STOP',
  },
};

/** A driver whose call waits with this, and a model that answers so. */
function driverThatWaits(
  interrupts: Record<string, object>,
  outcome: ModelOutcome | Promise<ModelOutcome> = answer,
  isOwner = true,
) {
  let retry: OnRetry | undefined;
  const { driver, ports } = driverWith({});
  const asked: ModelRequest[] = [];
  const stopped: ModelRequest[] = [];
  const submitted: RunCommand[] = [];
  const failures: unknown[] = [];
  Object.assign(ports, {
    models: {
      forModel: (name: string) => ({
        takes: () => false,
        generate: async (request: ModelRequest, { signal, onRetry }: Parameters<ModelPort['generate']>[1]) => {
          retry = onRetry;
          // As each call of a model does until it is over.
          signal.addEventListener('abort', () => stopped.push(request), { once: true });
          asked.push({ ...request, model: name });
          return outcome;
        },
      }),
    },
    onModelFailed: (failure: unknown) => failures.push(failure),
  });
  vi.spyOn(driver, 'submit').mockImplementation((command) => {
    submitted.push(command);
    return Promise.resolve('applied');
  });
  vi.spyOn(driver, 'isOwner').mockReturnValue(isOwner);
  const calls = { 'root#1.0': { id: 'root#1.0', stepId: 'root' } };
  const run = { id: '', status: 'open', interrupts, calls };
  driver.state = { ...driver.state, run: run as unknown as NonNullable<typeof driver.state.run> };
  const root = { type: 'llm', name: 'root', model: 'm-1' } as LlmNode;
  vi.spyOn(driver, 'definitionOf').mockReturnValue({ agent: { name: 'agent', root }, tools: new Map() });
  const over = new AbortController();
  const sample = answerSamplings(driver, key, over.signal);
  const retries = (...told: Parameters<OnRetry>) => retry?.(...told);
  return { sample, over, asked, stopped, submitted, failures, retries, waits: () => ports.waits.told() };
}

const pending = { 'i-1': { ...waiting, server: { questionId: 's-1' } } };
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a model is asked once what a server wants, and nothing else, however often that is told', async () => {
  const { sample, asked, submitted } = driverThatWaits(pending);
  sample([question]);
  sample([question]);
  await settled();
  sample([question]);
  await settled();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    system: 'Be kind.',
    messages: [{ role: 'user', text: 'Hello?' }],
    tools: [],
    answerTokensMax: 4_096,
  });
  expect(submitted).toMatchObject([{ type: 'samplingAnswered', inputId: 'i-1', error: '', model: 'm-1' }]);
});

test.each<[string, Record<string, object>, boolean]>([
  ['has an answer on the record', {}, true],
  ['is of another call', { 'i-1': { ...pending['i-1'], callId: 'root#1.1' } }, true],
  ['is of another run owner', pending, false],
  ['is for people', { 'i-1': { ...pending['i-1'], kind: 'input' } }, true],
])('no model is asked what %s', async (_, inputs, isOwner) => {
  const { sample, asked, submitted } = driverThatWaits(inputs, answer, isOwner);
  sample([question]);
  await settled();
  expect([asked, submitted]).toEqual([[], []]);
});

test.each<[string, ModelOutcome]>([
  ['the model is away', { kind: 'failed', message: 'the model is away' }],
  ['the model gave no text', { kind: 'answer', answer: { ...answer.answer, text: '' } }],
])('that there is no answer goes on the record too: %s', async (error, outcome) => {
  const { sample, submitted, failures } = driverThatWaits(pending, outcome);
  sample([question]);
  await settled();
  expect(submitted).toMatchObject([{ type: 'samplingAnswered', inputId: 'i-1', contentJson: '', error }]);
  expect(failures).toMatchObject([{ reason: error, step: 'root' }]);
});

test('while the model is asked again its run is told so', async () => {
  let answered: (outcome: ModelOutcome) => void = () => undefined;
  const outcome = new Promise<ModelOutcome>((resolve) => {
    answered = resolve;
  });
  const { sample, submitted, retries, waits } = driverThatWaits(pending, outcome);
  sample([question]);
  await settled();
  expect(waits()).toEqual([]);
  retries('too busy now', 500);
  expect(waits()).toMatchObject([{ name: 'm-1', reason: 'too busy now', nextTry: {} }]);
  answered(answer);
  await settled();
  expect(submitted).toHaveLength(1);
  expect(waits()).toEqual([]);
});

test('a hundred questions of one call warn of no listeners, and all end with the call', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `s-${index}`);
  const inputs = ids.map((id) => [`i-${id}`, { ...waiting, id: `i-${id}`, server: { questionId: id } }]);
  const { sample, over, asked, stopped } = driverThatWaits(Object.fromEntries(inputs));
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  try {
    sample(ids.map((id) => ({ ...question, id })));
    await settled();
    over.abort();
    expect([asked.length, stopped.length]).toEqual([100, 100]);
    // Warnings are emitted in a later turn than the one in which they arise.
    await settled();
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
  }
});
