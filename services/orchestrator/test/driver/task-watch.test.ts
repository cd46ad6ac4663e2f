import { parkedTasks, type RemoteQuestion } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Registrations } from '../../src/driver/delegations/registrations.ts';
import { TaskWatch } from '../../src/driver/delegations/task-watch.ts';
import { AgentNews } from '../../src/driver/handle/agent-news.ts';
import { done, Errand, lost, peer, quiet, type Script } from './errands.ts';
import { HandClock } from './one-driver.ts';

const { DecisionKind } = approvals;

const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
const task = { id: 'task-1', state: 'input-required' };
const question = (key: string): RemoteQuestion => ({ key, kind: 'approval', prompt: `May I ${key}?` });
const asks = (...keys: readonly string[]) =>
  ({ kind: 'asks', task, text: '', questions: keys.map(question), isIdempotent: false }) as const;
const running = { kind: 'running', task: { id: 'task-1', state: 'working' }, text: '' } as const;
const finished = { kind: 'outcome', outcome: done('Paid.') } as const;
const times = { firstMs: 15_000, mostMs: 300_000 };

/** A run that waits for an agent's question, and a process that watches it. */
async function watched(lookUp: NonNullable<Script['lookUp']>, keys = ['q1']) {
  const errand = new Errand(node, { delegate: [asks(...keys)], lookUp });
  await errand.first().ended;
  const clock = new HandClock();
  const resumed: string[] = [];
  const watch = (instance: string, alive: readonly string[] = [instance]) =>
    new TaskWatch(
      {
        ports: errand.watcher(instance, alive, clock),
        definitions: {
          agent: async () => errand.agent,
          toolset: async () => new Map(),
          policy: async () => ({ rules: [] }),
        },
        load: async () => ({ state: errand.state }),
        resume: async (id) => void resumed.push(id),
      },
      times,
    );
  return { errand, clock, resumed, watch };
}

test('it looks less and less often, while nothing happens, and at once again when something has', async () => {
  const { errand, clock, watch } = await watched([...Array.from({ length: 8 }, () => asks('q1')), asks('q2')]);
  const one = watch('first');
  const rounds: number[] = [];
  for (let round = 0; rounds.length < 9; round += 1) {
    const before = errand.asked.length;
    await one.round();
    if (errand.asked.length > before) rounds.push(round);
    await clock.pass(times.firstMs);
  }
  // After 15 s, 30 s, a minute, two, four, and then each five.
  expect(rounds.map((round, index) => round - (rounds[index - 1] ?? 0))).toEqual([0, 1, 2, 4, 8, 16, 20, 20, 20]);
  expect(errand.all('approvalRequested').map(({ question: one }) => one?.key)).toEqual(['q1', 'q2']);
  await one.round();
  expect(errand.asked).toHaveLength(10);
});

test('what was decided there is withdrawn here, and the run is taken up; of several questions none while the task goes on', async () => {
  const ended = await watched([finished]);
  await ended.watch('first').round();
  expect(ended.errand.all('approvalResolved')).toMatchObject([
    { proxy: true, reason: expect.stringContaining('completed') },
  ]);
  expect([ended.resumed, ended.errand.state.run?.calls['root#1.0']?.phase]).toEqual([['c'], 'started']);
  const one = await watched([running]);
  await one.watch('first').round();
  expect(one.errand.all('approvalResolved')).toHaveLength(1);
  const several = await watched([running], ['q1', 'q2']);
  await several.watch('first').round();
  expect(several.errand.all('approvalResolved')).toEqual([]);
});

test('an agent that tells nothing without a token has withdrawn nothing', async () => {
  const { errand, watch } = await watched([{ kind: 'unauthenticated' }]);
  await watch('first').round();
  expect([errand.asked.length, errand.all('approvalResolved')]).toEqual([1, []]);
});

test('what it saw is forgotten if anything has happened since', async () => {
  const late = await watched([
    async () => {
      late.errand.append(late.errand.decision({ kind: DecisionKind.APPROVE }));
      return finished;
    },
  ]);
  const round = late.watch('first').round();
  for (let second = 0; second < 3; second += 1) await quiet().then(() => late.clock.pass(1_000));
  await round;
  expect(late.errand.all('approvalResolved')).toHaveLength(1);
  expect(late.errand.names.at(-1)).toBe('approvalResolved');
});

test('of those that are alive one looks, and when it is gone another', async () => {
  const { errand, watch } = await watched([asks('q1'), asks('q1')]);
  const all = ['ada', 'bob', 'cyd'];
  for (const name of all) await watch(name, all).round();
  expect(errand.asked).toHaveLength(1);
  for (const gone of all) {
    const left = all.filter((name) => name !== gone);
    for (const name of left) await watch(name, left).round();
  }
  expect(errand.asked).toHaveLength(4);
});

test('the task of a run that was canceled is ended there, sooner or later', async () => {
  const { errand, clock, watch } = await watched([
    lost,
    { kind: 'outcome', outcome: { ...done('Run canceled.'), isError: true } },
  ]);
  errand.cancel();
  const one = watch('first');
  for (let round = 0; round < 4; round += 1) await one.round().then(() => clock.pass(times.firstMs));
  await quiet();
  expect(errand.canceled.map(({ taskId }) => taskId)).toEqual(['task-1', 'task-1']);
  expect(errand.all('delegationFinished')).toMatchObject([{ late: true, content: 'Run canceled.' }]);
});

test('so is that of a run that the next message followed, also by a process that comes later, or it is given up', async () => {
  for (const isHeard of [true, false]) {
    const gone = { kind: 'outcome', outcome: { ...done('Run canceled.'), isError: true } } as const;
    const { errand, clock, watch } = await watched(isHeard ? [lost, gone] : []);
    errand.cancel();
    for (const runId of ['r2', 'r3']) {
      errand.hears('Buy milk instead.', runId);
      if (runId === 'r2') errand.cancel();
    }
    expect(parkedTasks(errand.state)).toMatchObject([{ runId: 'r', call: { sent: { taskId: 'task-1' } } }]);
    await watch('first').round();
    const later = watch('second');
    for (let round = 0; round < 450; round += 1) await later.round().then(() => clock.pass(times.firstMs));
    expect(errand.canceled).toHaveLength(isHeard ? 2 : 21);
    expect(errand.canceled.every(({ taskId, key }) => taskId === 'task-1' && key.runId === 'r')).toBe(true);
    expect(errand.all('delegationFinished')).toMatchObject(isHeard ? [{ runId: 'r', late: true }] : []);
    expect(errand.all('toolCallInDoubt')).toMatchObject(isHeard ? [] : [{ runId: 'r' }]);
    expect([errand.state.leftElsewhere, errand.state.run?.id]).toEqual([undefined, 'r3']);
  }
});

test('an agent that is silent is told of once, and a defect too; both again after it has answered', async () => {
  const defect = new TypeError('undefined is no function');
  const { errand, clock } = await watched([lost, lost, asks('q1'), defect, defect]);
  const told: string[] = [];
  const ports = {
    ...errand.watcher('first', ['first'], clock),
    news: new AgentNews((agent, reason) => told.push(`${agent}: ${reason}`)),
    onFault: (error: unknown) => told.push(String(error)),
  };
  const watch = new TaskWatch({
    ports,
    definitions: {
      agent: async () => errand.agent,
      toolset: async () => new Map(),
      policy: async () => ({ rules: [] }),
    },
    load: async () => ({ state: errand.state }),
    resume: async () => undefined,
  });
  for (let look = 0; look < 5; look += 1) await watch.look('c');
  expect(told).toEqual(['peer: the connection broke', `peer: ${defect.message}`, String(defect)]);
});

test('an agent that takes too long over some tasks is not asked about its others, unless somebody waits for that', async () => {
  const never = () => new Promise<never>(() => undefined);
  const { errand, clock } = await watched([...Array(16).fill(never), asks('q1'), asks('q1')]);
  const listed = Array.from({ length: 40 }, (_, index) => ({
    conversationId: `c${index}`,
    runId: `r${index}`,
    ownerInstance: '',
    revision: 1,
  }));
  const ports = errand.watcher('first', ['first'], clock);
  const watch = new TaskWatch({
    ports: { ...ports, log: { ...ports.log, watchedRuns: async () => listed } },
    definitions: {
      agent: async () => errand.agent,
      toolset: async () => new Map(),
      policy: async () => ({ rules: [] }),
    },
    load: async () => ({ state: errand.state }),
    resume: async () => undefined,
  });
  const round = watch.round();
  await quiet().then(() => clock.pass(5_000));
  await round;
  expect(errand.asked).toHaveLength(16);
  await watch.look('c39');
  expect(errand.asked).toHaveLength(17);
  await clock.pass(30_000);
  const next = watch.round();
  await quiet();
  expect(errand.asked.length).toBeGreaterThan(17);
  await quiet().then(() => clock.pass(5_000));
  await next;
});

/** As `watched`, with agents that may call back. */
async function calledBack(script: Pick<Script, 'lookUp' | 'notify'>) {
  const errand = new Errand(node, { delegate: [asks('q1')], ...script });
  await errand.first().ended;
  const clock = new HandClock();
  const told: string[] = [];
  const ports = errand.watcher('first', ['first'], clock);
  const callback = { id: 'id', url: 'https://us.example.com/', token: new Secret('the token') };
  const registrations = new Registrations({
    delegations: ports.delegations,
    callbackOf: () => callback,
    note: (agent, reason) => told.push(`${agent}: ${reason}`),
  });
  const moved = { by: 0 };
  const watchedRuns = async () =>
    (await ports.log.watchedRuns()).map((run) => ({ ...run, revision: run.revision + moved.by }));
  const watch = new TaskWatch(
    {
      ports: { ...ports, log: { ...ports.log, watchedRuns } },
      registrations,
      definitions: {
        agent: async () => errand.agent,
        toolset: async () => new Map(),
        policy: async () => ({ rules: [] }),
      },
      load: async () => ({ state: errand.state }),
      resume: async () => undefined,
    },
    times,
  );
  /** How many rounds lie between looks. */
  const rounds = async (looks: number) => {
    const pauses: number[] = [];
    for (let pause = 0; pauses.length < looks; pause += 1) {
      const before = errand.asked.length;
      await watch.round();
      if (errand.asked.length > before) pauses.push(pause);
      if (errand.asked.length > before) pause = 0;
      await clock.pass(times.firstMs);
    }
    return pauses;
  };
  return { errand, told, watch, rounds, moved };
}

const taken = { kind: 'taken' } as const;
const stillAsks = Array.from({ length: 20 }, () => asks('q1'));

test('a task whose agent calls back is looked at once, then every quarter of an hour; nothing is asked of it twice', async () => {
  const { errand, watch, rounds } = await calledBack({ lookUp: stillAsks, notify: [taken] });
  await watch.rested(errand.state, undefined);
  expect(errand.offered.map(({ callback }) => callback.url)).toEqual(['https://us.example.com/']);
  expect(errand.asked).toHaveLength(0);
  expect(await rounds(3)).toEqual([0, 60, 60]);
  expect(errand.offered).toHaveLength(1);
});

test('when its run has moved on it is looked at again: that may wait for a task of another agent by now', async () => {
  const { errand, moved, rounds } = await calledBack({ lookUp: stillAsks, notify: [taken] });
  expect(await rounds(1)).toEqual([0]);
  moved.by = 1;
  expect(await rounds(2)).toEqual([0, 60]);
  expect(errand.asked).toHaveLength(3);
});

test.each([
  ['refuses the callback', [{ kind: 'refused', reason: 'not there' }] as const, 1, ['peer: not there']],
  ['has no callbacks', [{ kind: 'not_offered' }] as const, 1, []],
  ['does not say', [lost, new Error('the connection broke with the token'), lost], 3, ['peer: the connection broke']],
] as const)('a task whose agent %s is looked at as ever', async (_which, notify, offers, notes) => {
  const { errand, told, rounds } = await calledBack({ lookUp: stillAsks, notify });
  expect(await rounds(3)).toEqual([0, 1, 2]);
  expect(errand.offered).toHaveLength(offers);
  expect(told).toEqual(notes);
});

test('an agent that has not called back when it should have is given the callback anew', async () => {
  const lookUp = [asks('q2'), ...Array.from({ length: 5 }, () => asks('q2'))];
  const { errand, rounds } = await calledBack({ lookUp, notify: [taken, taken] });
  expect(await rounds(3)).toEqual([0, 1, 60]);
  expect(errand.offered).toHaveLength(2);
});

test('a call has its task looked at, and no other; that of a run that is over is not for the agent to end sooner', async () => {
  const { errand, watch } = await calledBack({ lookUp: [asks('q2'), asks('q2')] });
  const messageId = errand.all('delegationStarted')[0]?.messageId ?? '';
  await watch.called('c', 'of another task');
  expect(errand.asked).toHaveLength(0);
  await watch.called('c', messageId);
  expect(errand.asked.map(({ taskId }) => taskId)).toEqual(['task-1']);
  expect(errand.all('approvalRequested').map(({ question: one }) => one?.key)).toEqual(['q1', 'q2']);
  errand.cancel();
  for (let call = 0; call < 30; call += 1) await watch.called('c', messageId);
  await watch.rested(errand.state, undefined);
  expect([errand.canceled, errand.offered]).toEqual([[], []]);
});

test('a question that repeats the token by now fails its delegation once: nothing of it is on the record', async () => {
  const [shown] = asks('q1').questions;
  const looks = [shown, { ...shown, holdsToken: true }, shown, { ...shown, holdsToken: true }] as RemoteQuestion[];
  const { errand, clock, resumed, watch } = await watched(looks.map((one) => ({ ...asks(), questions: [one] })));
  const one = watch('first');
  for (let round = 0; round < 9; round += 1) {
    await one.round();
    await clock.pass(times.firstMs);
  }
  expect(errand.all('approvalRequested')).toHaveLength(1);
  expect(errand.names.slice(-2)).toEqual(['delegationFinished', 'stepFinished']);
  expect(errand.canceled.map(({ taskId }) => taskId)).toEqual(['task-1']);
  expect(resumed).toEqual(['c']);
});
