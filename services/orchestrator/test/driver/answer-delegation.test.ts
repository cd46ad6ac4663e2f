import { fact, keyOfWords, provideToken, type RemoteQuestion } from '@stopgo/core';
import { Waits } from '@stopgo/log';
import { approvals, facts } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Registry } from '../../src/driver/run/registry.ts';
import { asked, asks, decide, finished, inWords, longMs, node, second, shown, token } from './asking-agent.ts';
import { done, Errand, lost, quiet } from './errands.ts';
import { HandClock } from './one-driver.ts';

const { DecisionKind } = approvals;

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
      answer: { approvalId: 'q1', verdict: 'approved', messageId: fence?.messageId, isOneOfSeveral: false },
    },
  ]);
  expect([errand.asked.length, errand.state.run?.status, await errand.response()]).toEqual([1, 'completed', 'Paid.']);
});

test('an answer that was lost is sent again, the same, to a question that shows its id', async () => {
  const errand = await asked(shown, { lookUp: [asks(shown), lost, asks(shown)], answer: [lost, done('Paid.')] });
  decide(errand, { kind: DecisionKind.REJECT });
  const { clock, ended } = second(errand);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  await ended;
  expect(errand.all('delegationAnswered')).toHaveLength(1);
  expect(new Set(errand.answered.map(({ answer }) => answer.messageId)).size).toBe(1);
  expect(errand.answered.map(({ answer }) => answer.verdict)).toEqual(['rejected', 'rejected']);
  expect(await errand.response()).toBe('Paid.');
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
  expect(errand.answered).toMatchObject([{ answer: { approvalId: 'q1', verdict: 'approved' } }]);
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
  expect(errand.answered).toMatchObject([{ answer: { approvalId: 'q1', verdict: 'approved' } }]);
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

test('a decision for an agent that is away is kept for it, and keeps nobody else from being served', async () => {
  let isAway = true;
  const look = async () => {
    if (isAway) throw lost;
    return asks(shown);
  };
  const errand = await asked(shown, { lookUp: Array(200).fill(look), answer: [done('Paid.')] });
  decide(errand);
  const clock = new HandClock();
  const definitions = {
    agent: async () => errand.agent,
    toolset: async () => new Map(),
    policy: async () => ({ rules: [] }),
  };
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
  ['does not answer', async () => Promise.reject(lost), 1_500],
  ['says nothing at all', () => new Promise<never>(() => undefined), 2_500],
])(
  'nobody is kept waiting for an agent that %s, and what the run waits for is told until it is back',
  async (_, away, ms) => {
    let look: () => Promise<ReturnType<typeof asks>> = away;
    const errand = await asked(shown, { lookUp: Array(99).fill(() => look()), answer: [done('Paid.')] });
    decide(errand);
    const clock = new HandClock();
    const definitions = {
      agent: async () => errand.agent,
      toolset: async () => new Map(),
      policy: async () => ({ rules: [] }),
    };
    const ports = { ...errand.watcher('second', ['second'], clock), waits: new Waits(() => clock.now()) };
    const registry = new Registry(ports, definitions, 10);
    await registry.resume('c');
    const driver = registry.driver('c');
    let standing: string | undefined;
    if (driver === undefined) throw new Error('nobody drives');
    void registry.settled(driver, new AbortController().signal).then((how) => {
      standing = how;
    });
    const pass = async (all: number) => {
      for (let at = 0; at < all; at += 250) await quiet().then(() => clock.pass(250));
      await quiet();
    };
    await pass(ms - 250);
    expect([standing, driver.isDriving()]).toEqual([undefined, true]);
    await pass(250);
    expect([standing, driver.isDriving()]).toEqual(['working', true]);
    expect(ports.waits.told('c')).toMatchObject([{ conversationId: 'c', runId: 'r', name: 'peer' }]);
    if (ms > 2_000) return;
    look = async () => asks(shown);
    await pass(16_000);
    expect([errand.answered.length, await errand.response(), ports.waits.told()]).toEqual([1, 'Paid.', []]);
  },
);

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

test('a question that repeats the token is asked of nobody: its delegation has failed, and says why', async () => {
  const errand = new Errand(node, { delegate: [asks({ ...inWords, holdsToken: true })] });
  await errand.first({ bearer: new Secret('s3cret') }).ended;
  expect(errand.all('approvalRequested')).toEqual([]);
  expect(errand.all('delegationFinished')).toMatchObject([
    { isError: true, content: expect.stringContaining('repeated in its question the bearer token') },
  ]);
  expect(errand.state.run?.status).toBe('failed');
  // Its own people are not to say yes to what has failed here.
  expect(errand.canceled.map(({ taskId }) => taskId)).toEqual(['task-1']);
});

test('what a look finds that cannot be asked fails the delegation, and its task is ended there', async () => {
  const hostile = [shown, { ...shown, prompt: 'May I have it all?' }];
  const errand = await asked(shown, { lookUp: [asks(...hostile)] });
  decide(errand);
  await second(errand).ended;
  expect([errand.state.run?.status, errand.answered]).toEqual(['failed', []]);
  expect(errand.canceled.map(({ taskId }) => taskId)).toEqual(['task-1']);
});

test('a defect of our own is told once, though its agent is silent already; a broken connection is none', async () => {
  const defect = new TypeError('x is not a function');
  const silent = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
  const errand = await asked(shown, { lookUp: [silent, asks(shown), ...Array(9).fill(defect)], answer: [defect] });
  decide(errand);
  const process = second(errand);
  const told: string[] = [];
  Object.assign(process.driver.ports, {
    onFault: (error: Error, where: string) => told.push(`${error.message}: ${where}`),
  });
  for (let second = 0; second < 100; second += 1) await quiet().then(() => process.clock.pass(1_000));
  await process.ended;
  expect(told).toEqual([
    'x is not a function: answering the agent peer',
    'x is not a function: looking at a task of the agent peer',
  ]);
});
