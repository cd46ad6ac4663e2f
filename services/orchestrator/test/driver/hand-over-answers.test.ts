import { DomainError, type Fact, fact, type RecordedFact, type RunCommand, type SettledInput } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { handOverAnswers } from '../../src/driver/questions/hand-over-answers.ts';
import type { HandedAnswer, QuestionAnswer } from '../../src/tool-port.ts';
import { driverWith } from './one-driver.ts';

const key = { conversationId: 'c', runId: '', callId: 'call', attempt: 1 };
const answered: SettledInput = {
  callId: 'call',
  questionId: 'q-1',
  attempt: 1,
  bridge: 'bridge',
  how: 'accept',
  by: 'ada',
  at: 1,
  revision: 7,
};
const silence = new DomainError('unavailable', 'no answer');
const provided = fact('inputProvided', { inputId: 'i-1', runId: 'r', contentJson: '{"amount":3}' });

function recorded(one: Fact): RecordedFact {
  const actor = { kind: 'user', id: 'ada' } as const;
  return { stream: 's', revision: 7, eventId: 'e', time: 1, actor, causationId: '', correlationId: '', fact: one };
}

type Settled = Readonly<Record<string, SettledInput>>;

/**
 * A driver whose run has these answers on the record, and a bridge that says one thing after the other of those it is handed; it waits
 * for an answer to `q-1` alone.
 */
function driverThatKnows(settledInputs: Settled, ...says: readonly (HandedAnswer | Error)[]) {
  const { driver, ports, clock } = driverWith({});
  const handed: QuestionAnswer[] = [];
  const submitted: RunCommand[] = [];
  const left = [...says];
  Object.assign(ports.tools, {
    answer: (_key: unknown, _bridge: unknown, answer: QuestionAnswer) => {
      handed.push(answer);
      const next = left.shift() ?? 'taken';
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
  });
  Object.assign(ports.log, {
    async *read() {
      yield recorded(provided);
    },
  });
  vi.spyOn(driver, 'submit').mockImplementation((command) => {
    submitted.push(command);
    return Promise.resolve('applied');
  });
  const run = { id: '', status: 'open', interrupts: {}, calls: {}, settledInputs };
  driver.state = { ...driver.state, run: run as unknown as NonNullable<typeof driver.state.run> };
  Object.assign(driver, { runId: '' });
  const over = new AbortController();
  const handing = handOverAnswers(driver, key, 'bridge', (id) => id === 'q-1', over.signal);
  const end = async () => {
    over.abort(new Error('the call is over'));
    await handing;
  };
  return { driver, clock, handed, submitted, end };
}

test('an answer is handed over until the bridge has heard it, and then no more', async () => {
  const { driver, clock, handed, submitted, end } = driverThatKnows({ 'i-1': answered }, silence, silence, 'taken');
  vi.spyOn(driver, 'movedOn').mockResolvedValueOnce(true);
  for (let pause = 0; pause < 4; pause += 1) await clock.pass(2_000);
  await clock.pass(1);
  await end();
  const answer = { questionId: 'q-1', action: 'accept', contentJson: '{"amount":3}' };
  expect(handed).toEqual([answer, answer, answer]);
  expect(submitted).toEqual([]);
});

test.each([
  ['that the server does not wait for any more', 'late', false],
  ['whose question is asked anew', 'asked_anew', true],
] as const)('one %s is put on the record as lost', async (_, says, isAskedAnew) => {
  const { clock, submitted, end } = driverThatKnows({ 'i-1': answered }, says);
  await clock.pass(1);
  await clock.pass(1);
  await end();
  expect(submitted).toEqual([{ type: 'answerLost', inputId: 'i-1', isAskedAnew }]);
});

test('what was withdrawn here, and is waited for at the bridge, is canceled there, and nothing more is put on the record', async () => {
  const { clock, handed, submitted, end } = driverThatKnows(
    { 'i-1': { ...answered, how: 'withdrawn' } },
    silence,
    'late',
  );
  for (let pause = 0; pause < 3; pause += 1) await clock.pass(2_000);
  await end();
  const cancel = { questionId: 'q-1', action: 'cancel', contentJson: '' };
  expect(handed).toEqual([cancel, cancel]);
  expect(submitted).toEqual([]);
});

test('what was withdrawn there, or answers another attempt, call or bridge, is not handed over', async () => {
  const { clock, handed, end } = driverThatKnows({
    withdrawn: { ...answered, how: 'withdrawn', questionId: 'q-2' },
    attempt: { ...answered, attempt: 2 },
    call: { ...answered, callId: 'another' },
    bridge: { ...answered, bridge: 'bridge-2' },
  });
  await clock.pass(1);
  await end();
  expect(handed).toEqual([]);
});
