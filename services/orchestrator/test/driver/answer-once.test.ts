import { DomainError, type RemoteQuestion } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { asked, asks, decide, inWords, longMs, second, shown } from './asking-agent.ts';
import { done, lost, quiet } from './errands.ts';

const { DecisionKind } = approvals;

const wantsToken = { kind: 'unauthenticated' } as const;
const asksOnce = (one: RemoteQuestion) => ({ ...asks(one), isIdempotent: true });
const dies = () => new Promise<never>(() => undefined);

test.each([
  ['were lost are not said again: they may be on their way, and would answer the next question', lost],
  [
    'the agent failed at are not said again: they may have arrived',
    { kind: 'failed', message: 'out of paper' } as const,
  ],
])('words that %s', async (_, first) => {
  const errand = await asked(inWords, { lookUp: [asks(inWords), asks(inWords)], answer: [first, done('Paid.')] });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});

test('a process that was taken for dead while it made ready to answer leaves that to the other', async () => {
  const errand = await asked(inWords, { lookUp: [asks(inWords), asks(inWords)], answer: [done('Paid.')] });
  decide(errand);
  let isReady: () => void = () => undefined;
  errand.ready = () => new Promise((resolve) => (isReady = resolve));
  const slow = second(errand);
  await quiet();
  expect([errand.names.at(-1), errand.answered]).toEqual(['delegationAnswered', []]);
  errand.ready = undefined;
  await errand.process('third', { dead: ['first', 'second'] }).ended;
  await slow.clock.pass(longMs);
  isReady();
  await slow.ended;
  // The other could not know: a human decides, and nothing goes out behind their back.
  expect(errand.answered).toEqual([]);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});

test('what an answer says is read before it counts as sent', async () => {
  const doubt = { ...shown, approval: { ...shown.approval, choices: ['run_again', 'happened', 'give_up'] } };
  const errand = await asked(doubt as RemoteQuestion, { lookUp: Array(9).fill(asks(doubt as RemoteQuestion)) });
  decide(errand, { kind: DecisionKind.HAPPENED, result: 'It did.' });
  const decidedAt = errand.log.length;
  errand.reading = async (from) => {
    if (from === decidedAt) throw new DomainError('unavailable', 'the log is away');
  };
  second(errand);
  await quiet();
  expect([errand.all('delegationAnswered'), errand.answered]).toEqual([[], []]);
});

test('a process that was taken for dead after it has answered does not answer again beside the other', async () => {
  let isFresh = true;
  const errand = await asked(shown, {
    lookUp: [asks(shown), asks(shown), asks(shown)],
    answer: [
      async () => {
        isFresh = false;
        throw lost;
      },
      done('Paid.'),
    ],
  });
  decide(errand);
  const slow = errand.process('second', { isFresh: () => isFresh });
  for (let second = 0; second < 3; second += 1) await quiet().then(() => slow.clock.pass(1_000));
  expect(errand.answered).toHaveLength(1);
  await errand.process('third', { dead: ['first', 'second'] }).ended;
  slow.renew();
  await slow.ended;
  expect([errand.answered.length, await errand.response()]).toEqual([2, 'Paid.']);
});

test('words that a run has said with a token are not said again without it: to the agent that is somebody else', async () => {
  const bearer = new Secret('s3cret');
  const script = { lookUp: Array(9).fill(asksOnce(inWords)), answer: [dies, done('Paid twice.')] };
  const errand = await asked(inWords, script, true);
  decide(errand);
  const frozen = second(errand, bearer);
  await quiet();
  frozen.driver.stop(new Error('the process ends'));
  await frozen.ended;
  await errand.process('third', { dead: ['first', 'second'] }).ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({
    kind: facts.ApprovalKind.IN_DOUBT,
    reason: expect.stringContaining('token'),
  });
});

test.each([
  ['by the same process', async () => Promise.reject(lost), false],
  ['by another one', dies, true],
])('a 401 says nothing of an answer that was sent before %s: a human decides', async (_, first, hasDied) => {
  const script = { lookUp: Array(9).fill(asksOnce(shown)), answer: [first, wantsToken, done('Paid twice.')] };
  const errand = await asked(shown, script);
  decide(errand);
  let process = second(errand);
  await quiet();
  if (hasDied) {
    process.driver.stop(new Error('the process ends'));
    await process.ended;
    process = errand.process('third', { dead: ['first', 'second'] });
  }
  for (let second = 0; second < 5; second += 1) await quiet().then(() => process.clock.pass(1_000));
  await process.ended;
  expect(errand.answered).toHaveLength(2);
  expect(errand.all('delegationAnswered')).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});
