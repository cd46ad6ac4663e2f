import { expect, test } from 'vitest';
import { DueTimer } from '../../src/driver/run/due-timer.ts';
import { AskingServer, question, quiet } from './asking-server.ts';
import { HandClock } from './one-driver.ts';

const waitMs = 60_000;
const withdrawn = { callId: 'root#1.0', reason: 'nobody answered in time' };
const cancel = { questionId: 'q-1', action: 'cancel', contentJson: '' };

const passed = async ({ clock }: AskingServer, ms: number): Promise<void> => {
  await quiet();
  await clock.pass(ms);
  await quiet();
};

test('a question is over when its time is, and not before; its server is told, and the run goes on', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  asking.first();
  await passed(asking, waitMs - 1);
  expect([asking.all('inputWithdrawn'), asking.handed]).toEqual([[], []]);
  await passed(asking, 1);
  expect(asking.all('inputWithdrawn')).toMatchObject([withdrawn]);
  expect(asking.handed).toEqual([cancel]);
  // The bridge had not given it up: that it does now is no other end of it.
  await passed(asking, waitMs);
  expect(asking.all('inputWithdrawn')).toHaveLength(1);
  expect(asking.names.filter((name) => name === 'toolCallFinished')).toHaveLength(1);
});

test('of several questions each is over at its own time', async () => {
  const asking = new AskingServer(question('q-2', waitMs), question('q-1', waitMs / 2));
  asking.first();
  await passed(asking, waitMs / 2);
  expect(asking.all('inputWithdrawn')).toHaveLength(1);
  expect(asking.handed).toEqual([cancel]);
  await passed(asking, waitMs / 2);
  expect(asking.all('inputWithdrawn')).toHaveLength(2);
});

test('of an answer and the end of its time the first in the log counts', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  asking.before = { fact: 'inputWithdrawn', happens: () => void asking.answers('decline') };
  asking.first();
  await passed(asking, waitMs);
  expect(asking.all('inputProvided')).toHaveLength(1);
  expect(asking.all('inputWithdrawn')).toEqual([]);
  expect(asking.handed).toMatchObject([{ questionId: 'q-1', action: 'decline' }]);
});

test('an answer that comes too late is told so, whoever takes it', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  const inputId = asking.all('inputRequested')[0]?.inputId;
  asking.first();
  await passed(asking, waitMs);
  expect(asking.answers('accept', inputId)).toMatchObject({
    kind: 'settled',
    input: { how: 'withdrawn', reason: withdrawn.reason },
  });
  expect(asking.all('inputProvided')).toEqual([]);
});

test('of two processes that take the run for theirs one puts the end on the record, once', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  asking.first();
  asking.process('second');
  await passed(asking, waitMs);
  expect(asking.all('inputWithdrawn')).toHaveLength(1);
  expect(asking.all('runClaimed')).toHaveLength(1);
});

test('what was due while all were down is on the record with the claim of whoever starts', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  await passed(asking, 10 * waitMs);
  await asking.registry('second').sweep();
  await quiet();
  const claim = asking.appends.find((names) => names.includes('runClaimed'));
  expect(claim).toEqual(['runClaimed', 'inputWithdrawn']);
  expect(asking.handed).toEqual([cancel]);
});

test('a sweep takes up a run that nobody drives when something of it is due, and not before', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  asking.released(waitMs);
  const before = asking.log.length;
  const registries = ['second', 'third'].map((name) => asking.registry(name));
  await passed(asking, waitMs - 1);
  for (const registry of registries) await registry.sweep();
  await quiet();
  expect(asking.log).toHaveLength(before);
  await passed(asking, 1);
  await Promise.all(registries.map((registry) => registry.sweep()));
  await quiet();
  expect(asking.names.slice(before)).toEqual(['runClaimed', 'inputWithdrawn', 'runReleased']);
  for (const registry of registries) await registry.sweep();
  await quiet();
  expect(asking.log).toHaveLength(before + 3);
});

test('a sweep has a driver look whose timer is late', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  const registry = asking.registry('first', []);
  await registry.sweep();
  await quiet();
  // As after a machine has slept: the time is another, and no timer has run.
  asking.clock.now = () => waitMs;
  await quiet();
  expect(asking.all('inputWithdrawn')).toEqual([]);
  await registry.sweep();
  await quiet();
  expect(asking.all('inputWithdrawn')).toHaveLength(1);
});

test('a driver that has ended leaves no timer', async () => {
  const asking = new AskingServer(question('q-1', waitMs));
  const { driver, ended } = asking.first();
  await passed(asking, 1);
  driver.stop(new Error('the process ends'));
  await ended;
  await quiet();
  expect(asking.clock.sleeping).toBe(0);
});

function timer() {
  const clock = new HandClock();
  const wakes: number[] = [];
  return { clock, wakes, timer: new DueTimer(clock, () => wakes.push(clock.now())) };
}

test('a timer wakes once at its time, which may be set anew or taken back', async () => {
  const { clock, wakes, timer: due } = timer();
  due.set(100);
  due.set(100);
  expect(clock.sleeping).toBe(1);
  due.set(50);
  expect(clock.sleeping).toBe(1);
  await clock.pass(50);
  await clock.pass(50);
  expect(wakes).toEqual([50]);
  due.set(200);
  due.set(undefined);
  expect(clock.sleeping).toBe(0);
  await clock.pass(200);
  expect(wakes).toEqual([50]);
  // What is due already wakes at once.
  due.set(1);
  await clock.pass(0);
  expect(wakes).toEqual([50, 300]);
});

test('a time that is further away than timers of the system count is waited for in parts', async () => {
  const { clock, wakes, timer: due } = timer();
  const monthMs = 30 * 24 * 60 * 60 * 1_000;
  due.set(monthMs);
  await clock.pass(2 ** 31 - 1);
  expect(wakes).toEqual([2 ** 31 - 1]);
  due.set(monthMs);
  await clock.pass(monthMs - 2 ** 31);
  expect(wakes).toHaveLength(1);
  await clock.pass(1);
  expect(wakes).toEqual([2 ** 31 - 1, monthMs]);
});
