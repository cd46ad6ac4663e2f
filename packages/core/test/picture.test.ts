import {
  evolveTrace,
  type Picture,
  type PictureNode,
  pictureOfAgent,
  pictureOfRun,
  type RecordedFact,
  type RunTrace,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { callsPerAnswerMax, withdrawalsPerAppendMax } from '../src/text/bounds.ts';
import { dawn, given, type Happening } from './specification.ts';
import {
  agentOf,
  answered,
  approvalOf,
  approved,
  call,
  canceled,
  claim,
  drove,
  llm,
  opened,
  rejected,
  said,
  starts,
  unauthenticated,
  unknown,
} from './story.ts';

const agent = agentOf({
  type: 'sequential',
  name: 'report',
  children: [
    {
      type: 'parallel',
      name: 'research',
      onError: 'continue',
      children: [llm({ name: 'left' }), llm({ name: 'right', approval: 'require' })],
    },
    {
      type: 'loop',
      name: 'refine',
      iterationsMax: 3,
      children: [llm({ name: 'writer', canExitLoop: true }), llm({ name: 'critic' })],
    },
    llm({ name: 'filer' }),
  ],
});
const inTree = { agent };
const began = [opened, said('report', inTree)];
const says = (step: string, text = 'So.') => answered({ step, text }, inTree);
const asks = (step: string) => answered({ step, calls: [call('add')] }, inTree);
const lost = (stepId: string) =>
  drove([{ type: 'modelFailed', stepId, turn: 1, model: 'm', message: 'no', text: 'no' }], inTree);

function traceOf(log: readonly RecordedFact[]): RunTrace {
  const trace = log.reduce<RunTrace | undefined>(evolveTrace, undefined);
  if (trace === undefined) throw new Error('nothing was run');
  return trace;
}

/** The picture right after what happened. */
function pictured(of: typeof agent, ...happenings: readonly Happening[]): Picture {
  const { state, log } = given(...happenings);
  if (state.run === null) throw new Error('nothing was run');
  return pictureOfRun(of, traceOf(log), { ...state, run: state.run }, state.updatedAt);
}

const all = (one: PictureNode): PictureNode[] => [one, ...one.children.flatMap(all)];

/** What the picture shows of the tree, by name. */
function shown(...happenings: readonly Happening[]) {
  const { root, run } = pictured(agent, ...happenings);
  return { run: run?.standing, ...Object.fromEntries(all(root).map((one) => [one.node.name, one.progress?.status])) };
}

const nothingAfter = { refine: 'not reached', writer: 'not reached', critic: 'not reached', filer: 'not reached' };
const researched = [...began, says('root/0/0'), says('root/0/1')];

describe('where each node of a run stands', () => {
  test.each<[string, readonly Happening[], Readonly<Record<string, string>>]>([
    [
      'at the start: what may run runs, what comes after is not reached',
      began,
      { run: 'working', report: 'running', research: 'running', left: 'running', right: 'running', ...nothingAfter },
    ],
    [
      'a node that asks waits, and those above it go on while its sibling does',
      [...began, asks('root/0/1')],
      { run: 'working', report: 'running', research: 'running', left: 'running', right: 'waiting', ...nothingAfter },
    ],
    [
      'nothing goes on but the wait',
      [...began, asks('root/0/1'), lost('root/0/0')],
      { run: 'waiting', report: 'waiting', research: 'waiting', left: 'failed', right: 'waiting', ...nothingAfter },
    ],
    [
      'a call that may run is work, whoever does it',
      [...began, asks('root/0/1'), asks('root/0/0')],
      { run: 'working', report: 'running', research: 'running', left: 'running', right: 'waiting', ...nothingAfter },
    ],
    [
      'a failed branch that the others go on without leaves the node above it done',
      [...began, says('root/0/1'), lost('root/0/0')],
      { run: 'working', research: 'done', left: 'failed', right: 'done', refine: 'running', writer: 'running' },
    ],
    [
      'who leaves the loop leaves what comes after it in the loop out',
      [...researched, answered({ step: 'root/1[1]/0', calls: [call('exit_loop')] }, inTree)],
      { run: 'working', refine: 'done', writer: 'done', critic: 'skipped', filer: 'running' },
    ],
    [
      'a failure leaves out the rest',
      [...researched, lost('root/1[1]/0')],
      { run: 'failed', report: 'failed', refine: 'failed', writer: 'failed', critic: 'skipped', filer: 'skipped' },
    ],
    [
      'a cancel ends what had begun',
      [...began, asks('root/0/1'), canceled],
      {
        run: 'canceled',
        report: 'canceled',
        research: 'canceled',
        left: 'canceled',
        right: 'canceled',
        filer: 'skipped',
      },
    ],
    [
      'so does a rejection that ends the run',
      [...began, says('root/0/0'), asks('root/0/1'), rejected(), drove([claim], inTree)],
      { run: 'completed', report: 'canceled', research: 'canceled', left: 'done', right: 'canceled', filer: 'skipped' },
    ],
  ])('%s', (_, happenings, expected) => {
    expect(shown(...happenings)).toMatchObject(expected);
  });
});

test('of a loop the iteration is shown, and of what it holds how often it was begun and all that it took', () => {
  const again = [...researched, says('root/1[1]/0'), says('root/1[1]/1'), says('root/1[2]/0')];
  const { root } = pictured(agent, ...again);
  const [, , , , refine, writer, critic] = all(root);
  expect(refine?.progress).toMatchObject({ status: 'running', iteration: 2, executions: 1 });
  expect(writer?.progress).toMatchObject({ status: 'done', executions: 2, inputTokens: 2, outputTokens: 2 });
  expect(critic?.progress).toMatchObject({ status: 'running', executions: 2, inputTokens: 1 });
  // Five answers of one token each, wherever in the tree.
  expect([refine?.progress?.inputTokens, root.progress?.inputTokens, root.progress?.outputTokens]).toEqual([3, 5, 5]);
});

test('times are those of the events: finished executions are added up, what goes on is counted up to now', () => {
  const { log, state } = given(
    ...[...researched, says('root/1[1]/0'), says('root/1[1]/1'), says('root/1[2]/0'), says('root/1[2]/1')],
  );
  if (state.run === null) throw new Error('nothing was run');
  const now = state.updatedAt + 90_000;
  const { root, run } = pictureOfRun(agent, traceOf(log), { ...state, run: state.run }, now);
  const at = (name: string, place: string) =>
    log.filter(({ fact }) => fact.case === name && 'stepId' in fact.value && fact.value.stepId === place)[0]?.time ?? 0;
  const ended = (place: string) => at('stepFinished', place) - at('stepStarted', place);
  const [report, , left, , , writer] = all(root).map((one) => one.progress);
  expect(left).toMatchObject({
    startedAt: at('stepStarted', 'root/0/0'),
    tookMs: ended('root/0/0'),
  });
  expect(writer).toMatchObject({
    startedAt: at('stepStarted', 'root/1[1]/0'),
    tookMs: ended('root/1[1]/0') + ended('root/1[2]/0') + now - at('stepStarted', 'root/1[3]/0'),
  });
  const started = at('stepStarted', 'root');
  expect(report).toMatchObject({ startedAt: started, tookMs: now - started });
  expect(run).toMatchObject({ id: 'run-1', startedAt: dawn + 3_000, tookMs: now - dawn - 3_000 });
});

test('what took place stays as it was once the run is over, however late one looks', () => {
  const { log, state } = given(...began, canceled);
  if (state.run === null) throw new Error('nothing was run');
  const later = pictureOfRun(agent, traceOf(log), { ...state, run: state.run }, state.updatedAt + 90_000);
  expect(later).toEqual(pictured(agent, ...began, canceled));
});

describe('what a node waits for', () => {
  const plain = agentOf(llm({ name: 'only' }));
  const toAdd = [opened, said('add', { agent: plain }), answered({ calls: [call('add'), call('remove')] })];
  const waitsOf = (...happenings: readonly Happening[]) => pictured(plain, ...happenings).root.progress;

  test('is every approval, with what it is for', () => {
    const { state } = given(...toAdd);
    const [add, remove] = ['root#1.0', 'root#1.1'].map((id) => approvalOf(state, id));
    const about = { kind: 'approval', server: 'resources' };
    const since = (id = '') => ({ id, since: state.run?.interrupts[id]?.requestedAt });
    expect(waitsOf(...toAdd)).toMatchObject({
      status: 'waiting',
      waits: [
        { ...about, ...since(add), tool: 'add' },
        { ...about, ...since(remove), tool: 'remove' },
      ],
    });
    expect(waitsOf(...toAdd, approved('root#1.0'))?.waits.map((wait) => wait.id)).toEqual([remove]);
    expect(waitsOf(...toAdd, canceled)?.waits).toEqual([]);
  });

  test('is nothing once the run is over, also where one append could not withdraw all that people were asked', () => {
    const calls = Array.from({ length: callsPerAnswerMax }, () => call('add'));
    const branches = Array.from({ length: withdrawalsPerAppendMax / callsPerAnswerMax + 1 }, (_, index) => index);
    const wide = agentOf({
      type: 'parallel',
      name: 'wide',
      onError: 'continue',
      children: branches.map((index) => llm({ name: `branch ${index}`, approval: 'require' })),
    });
    const asked = branches.map((index) => answered({ step: `root/${index}`, calls }, { agent: wide }));
    const many = [opened, said('add', { agent: wide }), ...asked];
    const waits = (...happenings: readonly Happening[]) =>
      all(pictured(wide, ...happenings).root).flatMap(({ progress }) => progress?.waits ?? []);
    expect(waits(...many)).toHaveLength(branches.length * callsPerAnswerMax);
    expect(waits(...many, canceled)).toEqual([]);
  });

  test('is a word on what became of a call, or a token', () => {
    const calling = [...toAdd, rejected('root#1.1'), approved('root#1.0'), drove([claim, starts('root#1.0')])];
    expect(waitsOf(...calling)).toMatchObject({ status: 'running', waits: [] });
    expect(waitsOf(...calling, drove([unknown('root#1.0')]))?.waits).toMatchObject([{ kind: 'in_doubt', tool: 'add' }]);
    const told = waitsOf(...calling, drove([unauthenticated('root#1.0')]));
    expect(told).toMatchObject({
      status: 'waiting',
      waits: [{ kind: 'auth', tool: 'add', since: expect.any(Number) }],
    });
  });

  test('is nothing once the run of one node is done', () => {
    const done = [...toAdd, rejected(), rejected('root#1.1'), drove([claim])];
    expect(pictured(plain, ...done)).toMatchObject({
      run: { standing: 'completed' },
      root: { progress: { waits: [] } },
    });
    const answer = [opened, said('hi', { agent: plain }), answered({ text: 'Hi.' })];
    expect(pictured(plain, ...answer)).toMatchObject({
      run: { standing: 'completed' },
      root: { children: [], progress: { status: 'done', executions: 1, inputTokens: 1 } },
    });
  });
});

test('the next run starts a picture of its own, and what comes late of the last is not in it', () => {
  const { log } = given(...researched, canceled, said('again', { agent, runId: 'run-2' }));
  const ofFirst = log.filter(({ fact }) => 'runId' in fact.value && fact.value.runId === 'run-1');
  const started = log.find(({ fact }) => fact.case === 'runStarted' && fact.value.runId === 'run-2');
  const late = ofFirst.filter(({ fact }) => fact.case !== 'runStarted');
  expect(traceOf([...log, ...late])).toEqual(traceOf(log));
  expect(traceOf(log)).toMatchObject({ runId: 'run-2', startedAt: started?.time });
});

test('without a run there is the tree', () => {
  const { root, run } = pictureOfAgent(agent);
  expect(run).toBeUndefined();
  expect(all(root).map(({ node, progress }) => [node.name, progress])).toEqual(
    ['report', 'research', 'left', 'right', 'refine', 'writer', 'critic', 'filer'].map((name) => [name, undefined]),
  );
});
