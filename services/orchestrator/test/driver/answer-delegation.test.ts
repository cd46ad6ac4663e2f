import { fact, type HumanDecision, keyOfWords, provideToken, type RemoteQuestion } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Registry } from '../../src/driver/registry.ts';
import { done, Errand, lost, peer, quiet, type Script } from './errands.ts';
import { HandClock } from './one-driver.ts';

const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
const task = { id: 'task-1', state: 'input-required' };
const shown: RemoteQuestion = {
  key: 'q1',
  kind: 'approval',
  prompt: 'May I pay?',
  approval: { id: 'q1', tool: 'pay', server: 'bank', argumentsJson: '{"sum":5}', choices: [], agents: ['till'] },
};
const inWords: RemoteQuestion = { key: 'w1', kind: 'approval', prompt: 'Really?' };
const token: RemoteQuestion = { key: 'auth 1', kind: 'auth', prompt: 'Who are you?' };
const asks = (...questions: readonly RemoteQuestion[]) =>
  ({ kind: 'asks', task, text: '', questions, isIdempotent: false }) as const;
const finished = { kind: 'outcome', outcome: done('Paid.') } as const;
/** More than any agent is given to answer. */
const longMs = 10 * 60_000;

/** An agent that asks at once, and what comes after. */
async function asked(first: RemoteQuestion, script: Script, bearerTokenPresent = false): Promise<Errand> {
  const errand = new Errand(node, { delegate: [asks(first)], ...script }, [], bearerTokenPresent);
  await errand.first(bearerTokenPresent ? { bearer: new Secret('s3cret') } : {}).ended;
  expect(errand.names.at(-1)).toBe('runReleased');
  return errand;
}

function decide(errand: Errand, decision: HumanDecision = { kind: 'approve' }): void {
  errand.append(errand.decision(decision));
}

const second = (errand: Errand, bearer?: Secret) => errand.process('second', bearer === undefined ? {} : { bearer });

test('a question is an approval here; its answer is sent once it is on the record, after a look', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown)], answer: [done('Paid.')] });
  expect(errand.all('approvalRequested')).toMatchObject([
    {
      kind: facts.ApprovalKind.PROXY,
      tool: 'pay',
      server: 'bank',
      question: {
        key: 'q1',
        taskId: 'task-1',
        agent: 'peer',
        approvalId: 'q1',
        agents: ['till'],
        argumentsJson: '{"sum":5}',
      },
    },
  ]);
  decide(errand);
  await second(errand).ended;
  const [fence] = errand.all('delegationAnswered');
  expect(errand.answered).toMatchObject([
    {
      on: expect.arrayContaining(['delegationAnswered']),
      answer: { approvalId: 'q1', verdict: 'approve', messageId: fence?.messageId, isOneOfSeveral: false },
    },
  ]);
  expect([errand.asked.length, errand.state.run?.status, await errand.response()]).toEqual([1, 'completed', 'Paid.']);
});

test('an answer that was lost is sent again, the same, to a question that shows its id', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), lost, asks(shown)], answer: [lost, done('Paid.')] });
  decide(errand, { kind: 'reject' });
  const { clock, ended } = second(errand);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.all('delegationAnswered')).toHaveLength(1);
  expect(new Set(errand.answered.map(({ answer }) => answer.messageId)).size).toBe(1);
  expect(errand.answered.map(({ answer }) => answer.verdict)).toEqual(['reject', 'reject']);
  expect(await errand.response()).toBe('Paid.');
});

test('an answer in words that was lost is not sent again: it may be on its way, and would answer the next question', async () => {
  const errand = await asked(inWords, { lookUp: [asks(inWords), asks(inWords)], answer: [lost] });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});

test.each([
  ['a question that shows its id is answered again', shown, 2],
  ['one in words is for a human', inWords, 1],
])('another process finds an answer on the record that may have been sent: %s', async (_, question, times) => {
  const script = {
    lookUp: [asks(question), asks(question)],
    answer: [() => new Promise<never>(() => undefined), done('Paid.')],
  };
  const errand = await asked(question, script);
  decide(errand);
  const frozen = second(errand);
  await quiet();
  frozen.driver.stop(new Error('the process ends'));
  await frozen.ended;
  expect(errand.names.at(-1)).toBe('delegationAnswered');
  const third = errand.process('third', { dead: ['first', 'second'] });
  await quiet();
  await third.clock.pass(1_000).then(quiet);
  await third.ended;
  expect(errand.answered).toHaveLength(times);
  expect(errand.all('delegationAnswered')).toHaveLength(1);
  expect(errand.all('toolCallInDoubt')).toHaveLength(2 - times);
});

test('a process that was taken for dead before it could answer leaves that to the other', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), asks(shown)], answer: [done('Paid.')] });
  decide(errand);
  const slow = errand.process('second', { isFresh: () => false });
  await quiet();
  expect([errand.names.at(-1), errand.answered]).toEqual(['delegationAnswered', []]);
  await errand.process('third', { dead: ['first', 'second'] }).ended;
  slow.renew();
  await slow.ended;
  expect([errand.answered.length, await errand.response()]).toEqual([1, 'Paid.']);
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
  decide(errand, { kind: 'happened', result: 'It did.' });
  const decidedAt = errand.log.length;
  errand.reading = async (from) => {
    if (from === decidedAt) throw new TypeError('the log has no such event');
  };
  second(errand);
  await quiet();
  expect([errand.all('delegationAnswered'), errand.answered]).toEqual([[], []]);
});

test('whoever is faster with the fence is the only one to answer', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), asks(shown)], answer: [done('Paid.')] });
  decide(errand);
  const other: Promise<void>[] = [];
  errand.before = {
    fact: 'delegationAnswered',
    happens: () => {
      const owner = { instance: 'third', epoch: 9 };
      errand.append([fact('runClaimed', { runId: 'r', owner })]);
      other.push(errand.process('third', { me: owner }).ended);
    },
  };
  await second(errand).ended;
  await Promise.all(other);
  expect(errand.all('delegationAnswered')).toHaveLength(1);
  expect([errand.answered.length, await errand.response()]).toEqual([1, 'Paid.']);
});

test('a decision that comes too late is sent to nobody: what the task came to is the result', async () => {
  const errand = await asked(shown, { lookUp: [finished] });
  decide(errand);
  await second(errand).ended;
  expect([errand.answered, errand.all('delegationAnswered')]).toEqual([[], []]);
  expect(await errand.response()).toBe('Paid.');
});

test('a question that has become another one is asked anew, and not answered', async () => {
  const other = { ...shown, key: 'q2', approval: { ...shown.approval, id: 'q2' } } as RemoteQuestion;
  const errand = await asked(shown, { lookUp: [asks(other)] });
  decide(errand);
  await second(errand).ended;
  expect([errand.answered, errand.all('delegationAnswered')]).toEqual([[], []]);
  expect(errand.all('delegationAsked').at(-1)?.keys).toEqual(['q2']);
  expect(errand.all('approvalRequested').map(({ question }) => question?.key)).toEqual(['q1', 'q2']);
});

const dearer = { ...shown, approval: { ...shown.approval, argumentsJson: '{"sum":5000000}' } } as RemoteQuestion;

test('a yes does not go to a question that shows other arguments by now: that is asked anew', async () => {
  const errand = await asked(shown, { lookUp: [asks(dearer)], answer: [done('Paid 5000000.')] });
  decide(errand);
  await second(errand).ended;
  expect([errand.answered, errand.all('delegationAnswered')]).toEqual([[], []]);
  expect(errand.all('approvalRequested').map(({ question }) => question?.argumentsJson)).toEqual([
    '{"sum":5}',
    '{"sum":5000000}',
  ]);
});

test('an answer that may have been sent is not sent to what took the id of its question: a human decides', async () => {
  const errand = await asked(shown, {
    lookUp: [asks(shown), asks(dearer)],
    answer: [() => new Promise<never>(() => undefined), done('Paid twice.')],
  });
  decide(errand);
  const frozen = second(errand);
  await quiet();
  frozen.driver.stop(new Error('the process ends'));
  await frozen.ended;
  const third = errand.process('third', { dead: ['first', 'second'] });
  await quiet();
  await third.clock.pass(1_000);
  await third.ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});

test('a question in words is answered, though its message has another id at every look', async () => {
  const said = (message: number): RemoteQuestion => ({ ...inWords, key: keyOfWords('Really?', `m${message}`, 't1') });
  const errand = await asked(said(0), { lookUp: [asks(said(1)), asks(said(2))], answer: [done('Paid.')] });
  decide(errand);
  await second(errand).ended;
  expect([errand.answered.length, errand.all('approvalRequested').length, await errand.response()]).toEqual([
    1,
    1,
    'Paid.',
  ]);
});

test('an agent that is down is waited for; what it refuses again and again is asked anew, with why', async () => {
  const refused = { kind: 'unavailable', message: 'not now' } as const;
  const errand = await asked(shown, {
    lookUp: [lost, lost, ...Array.from({ length: 9 }, () => asks(shown))],
    answer: Array.from({ length: 9 }, () => refused),
  });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let minute = 0; minute < 20; minute += 1) await quiet().then(() => clock.pass(longMs));
  await ended;
  expect(errand.answered).toHaveLength(5);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({
    kind: facts.ApprovalKind.PROXY,
    reason: 'it was not answered: not now',
  });
  expect(errand.all('delegationAsked').at(-1)?.notTaken).toEqual([shown.key]);
});

test('a task that waits for a token is answered with one, and with nothing else', async () => {
  const errand = await asked(token, { lookUp: [asks(token)], answer: [done('Welcome.')] });
  expect(errand.all('inputRequested')).toMatchObject([{ kind: facts.InputKind.AUTH, question: 'auth 1' }]);
  errand.append(provideToken(errand.state));
  await second(errand, new Secret('s3cret')).ended;
  expect(errand.answered).toMatchObject([{ answer: { approvalId: '', verdict: 'token' } }]);
  expect(await errand.response()).toBe('Welcome.');
});

test('a run that began with a token pauses for one before it answers without', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), asks(shown)], answer: [done('Paid.')] }, true);
  decide(errand);
  await second(errand).ended;
  expect([errand.answered.length, errand.names.slice(-2)]).toEqual([0, ['inputRequested', 'runReleased']]);
  errand.append(provideToken(errand.state));
  await errand.process('third', { bearer: new Secret('s3cret') }).ended;
  expect(errand.answered).toMatchObject([{ answer: { approvalId: 'q1', verdict: 'approve' } }]);
  expect(await errand.response()).toBe('Paid.');
});

const wantsToken = { kind: 'unauthenticated' } as const;

test('a run that began with a token pauses for one before it looks without', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown)], answer: [done('Paid.')] }, true);
  decide(errand);
  await second(errand).ended;
  expect([errand.asked.length, errand.names.slice(-2)]).toEqual([0, ['inputRequested', 'runReleased']]);
});

test('an agent that wants a token before it says anything is given one, or nothing', async () => {
  const errand = await asked(shown, { lookUp: [wantsToken, asks(shown)], answer: [done('Paid.')] });
  decide(errand);
  await second(errand).ended;
  expect([errand.asked.length, errand.names.slice(-2)]).toEqual([1, ['inputRequested', 'runReleased']]);
  errand.append(provideToken(errand.state));
  await errand.process('third', { bearer: new Secret('s3cret') }).ended;
  expect(errand.answered).toMatchObject([{ answer: { approvalId: 'q1', verdict: 'approve' } }]);
  expect(await errand.response()).toBe('Paid.');
});

test('what became of an answer that an agent tells nobody without a token is for a human', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), ...Array(1_000).fill(wantsToken)], answer: [lost] });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let second = 0; second < 120; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({
    kind: facts.ApprovalKind.IN_DOUBT,
    reason: expect.stringContaining('without another bearer token'),
  });
});

test.each([
  ['is lost', new Error('-32603')],
  ['fails inside of the agent', { kind: 'failed', message: 'out of paper' } as const],
])('an answer that %s each time is sent a few times, less and less often; then a human must know', async (_, end) => {
  const errand = await asked(shown, { lookUp: Array(3_000).fill(asks(shown)), answer: Array(3_000).fill(end) });
  decide(errand);
  const { clock, ended } = second(errand);
  const sent: number[] = [];
  for (let step = 0; step < 240; step += 1) {
    await quiet().then(() => clock.pass(250));
    sent.push(errand.answered.length);
  }
  await ended;
  expect(errand.answered).toHaveLength(5);
  // Pauses of 0.5 s, 1 s, 2 s and 4 s.
  expect(sent[24]).toBeLessThan(5);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
});

test('words that the agent failed at are not said again: they may have arrived', async () => {
  const failed = { kind: 'failed', message: 'out of paper' } as const;
  const errand = await asked(inWords, { lookUp: [asks(inWords), asks(inWords)], answer: [failed, done('Paid.')] });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.answered).toHaveLength(1);
  expect(errand.all('approvalRequested').at(-1)).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT });
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

test('a decision for an agent that is away is kept for it, and keeps nobody else from being served', async () => {
  let isAway = true;
  const look = async () => {
    if (isAway) throw lost;
    return asks(shown);
  };
  const errand = await asked(shown, { lookUp: Array(200).fill(look), answer: [done('Paid.')] });
  decide(errand);
  const clock = new HandClock();
  const definitions = { agent: async () => errand.agent, toolset: async () => new Map() };
  const registry = new Registry(errand.watcher('second', ['second'], clock), definitions, 1);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await quiet().then(() => clock.pass(1_000));
  };
  await registry.resume('c');
  await pass(30);
  expect(() => registry.admit('other')).toThrow(/limits.concurrent_runs/);
  await pass(270);
  // After a second, two, four and eight, and then every 15 seconds.
  expect(errand.asked.length).toBeLessThan(27);
  expect(errand.answered).toEqual([]);
  registry.admit('other')();
  isAway = false;
  await pass(16);
  expect([errand.answered.length, await errand.response()]).toEqual([1, 'Paid.']);
});

test.each([
  ['for ten seconds is not asked again', 6, 1],
  ['for ever is asked again, with why', 99, 2],
  ['for ten seconds is not asked again, though a look is lost', 6, 1, [2]],
])('what an agent still shows after it was answered %s', async (_, stale, times, missed: readonly number[] = []) => {
  const stales = Array.from({ length: stale }, (_, look) => (missed.includes(look) ? lost : asks(shown)));
  const errand = await asked(shown, {
    lookUp: [...stales, finished, finished],
    answer: [asks(shown)],
  });
  decide(errand);
  const { clock, ended } = second(errand);
  for (let second = 0; second < 120; second += 1) await quiet().then(() => clock.pass(250));
  await ended;
  expect(errand.answered).toHaveLength(1);
  const all = errand.all('approvalRequested');
  expect(all).toHaveLength(times);
  if (times > 1) expect(all.at(-1)?.reason).toContain('still shows it');
});

const asksOnce = (one: RemoteQuestion) => ({ ...asks(one), isIdempotent: true });
const dies = () => new Promise<never>(() => undefined);

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

test('a question that repeats the token is asked of nobody: its delegation has failed, and says why', async () => {
  const errand = new Errand(node, { delegate: [asks({ ...inWords, holdsToken: true })] });
  await errand.first({ bearer: new Secret('s3cret') }).ended;
  expect(errand.all('approvalRequested')).toEqual([]);
  expect(errand.all('delegationFinished')).toMatchObject([
    { isError: true, content: expect.stringContaining('repeated in its question the bearer token') },
  ]);
  expect(errand.state.run?.status).toBe('failed');
});
