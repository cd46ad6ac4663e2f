import {
  type AgentNode,
  advance,
  evolve,
  hasWork,
  isDue,
  messageRows,
  nextDue,
  pauseRun,
  type RecordedFact,
  type RunState,
  resumeRun,
  runStanding,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { answered, answers, asked, callsAgent, definitionsOf, drives, drove, platformAgent, works } from './agents.ts';
import { by, dawn, given } from './specification.ts';
import { approved, call, canceled, claim, happened, llm, opened, rejected, returns, starts } from './story.ts';

const begun = [opened, asked('I want a refund.')] as const;
const pauses = happened((state) => pauseRun(state, { by: 'ada', reason: 'Wait.' }));
const resumes = happened((state) => resumeRun(state, { by: 'ada' }));
const child = 'root#1.0/root';
const parallelOf = (...children: readonly AgentNode[]): AgentNode => ({
  type: 'parallel',
  name: 'all',
  onError: 'fail',
  children,
});
const id = 'root#1.0';

describe('a run that is paused', () => {
  test('says on the record who paused it, and why', () => {
    given(...begun)
      .when((state) => pauseRun(state, { by: 'ada', reason: 'Wait.' }))
      .thenFacts(['runPaused', { runId: 'run-1', by: 'ada', reason: 'Wait.' }]);
    expect(given(...begun, pauses).state.run?.paused).toEqual({ by: 'ada', reason: 'Wait.', at: dawn + 5_000 });
  });

  test.each([
    ['ada', 'Wait.', 'The run was paused by ada: Wait.'],
    ['', 'Wait.', 'The run was paused: Wait.'],
    ['', '', 'The run was paused.'],
  ])('shows that it is, whoever paused it (%j, %j)', (who, reason, said) => {
    const { log } = given(
      ...begun,
      happened((state) => pauseRun(state, { by: who, reason })),
    );
    expect(log.flatMap(messageRows).at(-1)).toMatchObject({ role: 'system', content: said });
  });

  test('owes nothing, and whatever is under way is taken', () => {
    const { state } = given(...begun, pauses);
    const { facts, effects, held } = advance(definitionsOf(), state, dawn);
    expect([facts, effects]).toEqual([[], []]);
    expect(held).toMatchObject([{ kind: 'model', stepId: 'root', turn: 1 }]);
    given(...begun, pauses)
      .when(answers({ calls: [callsAgent('support/billing'), call('add'), call('note')] }))
      .thenFacts('modelResponded', ['approvalRequested', { callId: 'root#1.1' }], 'runReleased')
      .thenOwes();
  });

  test('is kept by whoever has something of it under way', () => {
    const keeping = (holdsOn: boolean) => drives([], { holdsOn });
    given(...begun, pauses)
      .when(keeping(true))
      .thenNothing();
    given(...begun, pauses)
      .when(keeping(false))
      .thenFacts('runReleased');
  });

  test('begins nothing, also for those who have not seen that', () => {
    const ready = [...begun, answered({ calls: [call('note'), callsAgent('support/billing')] })] as const;
    for (const command of [starts(id), works('root#1.1', 'support/billing')])
      given(...ready, pauses)
        .when(drives([command], { holdsOn: true }))
        .thenNothing();
  });

  test('has the outcome of what started found out, by whoever takes it over', () => {
    const started = [...begun, answered({ calls: [call('note')] }), drove([starts(id)]), pauses] as const;
    const { state } = given(...started);
    expect(hasWork(state.run as never)).toBe(true);
    given(...started)
      .when(drives([]))
      .thenNothing()
      .thenOwes({ kind: 'recover', id });
    given(...started)
      .when(drives([returns(id, 'noted')]))
      .thenFacts('toolCallFinished', 'runReleased')
      .thenOwes();
  });

  test('waits for nobody but who resumes it: the sweep has nothing to do, and decisions are taken', () => {
    const asking = [...begun, answered({ calls: [call('add')] }), pauses] as const;
    const decided = given(...asking, by('bob', approved())).state;
    expect([hasWork(decided.run as never), runStanding(decided)]).toEqual([false, 'waiting']);
    given(...asking, by('bob', approved()))
      .when(drives([claim]))
      .thenNothing();
    const resumed = [...asking, by('bob', approved()), resumes] as const;
    expect(hasWork(given(...resumed).state.run as never)).toBe(true);
    given(...resumed)
      .when(drives([claim, starts(id)]))
      .thenFacts('runClaimed', 'toolCallStarted');
  });

  test('that waits for people when it is resumed is looked at once, and waits as before', () => {
    const resumed = [...begun, answered({ calls: [call('add')] }), pauses, resumes] as const;
    given(...resumed)
      .when(drives([claim]))
      .thenFacts('runClaimed', 'runReleased');
    const { state } = given(...resumed, drove([claim]));
    expect([hasWork(state.run as never), runStanding(state)]).toEqual([false, 'waiting']);
  });

  test('and that a rejection has ended: what has started is found out still, and nothing that waits elsewhere is withdrawn', () => {
    const branch = llm({ approval: 'require', onReject: 'cancel' });
    const tree = platformAgent('support/tree', {});
    const agent = { ...tree, root: parallelOf(branch, branch, branch) };
    const more = [agent];
    const forked = [
      opened,
      asked('Go.', { agent }),
      ...['root/0', 'root/1'].map((step) => answered({ calls: [call('add')], step }, { more })),
      answered({ calls: [call('note')], step: 'root/2' }, { more }),
      drove([starts('root/2#1.0')], { more }),
      pauses,
      by('bob', rejected('root/0#1.0')),
    ];
    expect(hasWork(given(...forked).state.run as never)).toBe(true);
    given(...forked)
      .when(drives([], { more }))
      .thenNothing()
      .thenOwes({ kind: 'recover', id: 'root/2#1.0' });
    given(...forked, resumes)
      .when(drives([], { more }))
      .thenFacts(['approvalResolved', { callId: 'root/1#1.0' }])
      .thenOwes({ kind: 'recover', id: 'root/2#1.0' });
  });

  test('carries the keys of the requests that paused and resumed it on the record', () => {
    const idempotency = { key: 'k1', requestDigest: 'd1' };
    const expected = { idempotency: expect.objectContaining(idempotency) };
    given(...begun)
      .when((state) => pauseRun(state, { by: 'ada', idempotency }))
      .thenFacts(['runPaused', expected]);
    given(...begun, pauses)
      .when((state) => resumeRun(state, { by: 'ada', idempotency }))
      .thenFacts(['runResumed', expected]);
  });

  test('was paused when and by whom that is on the record first, and is not to be looked at for a resume of nothing', () => {
    const { state: paused, log } = given(...begun, pauses);
    const pause = log.at(-1) as RecordedFact;
    const again = { ...pause, revision: pause.revision + 1, time: pause.time + 60_000 };
    expect(evolve(paused, again).run).toEqual(paused.run);
    const resume = given(...begun, pauses, resumes).log.at(-1) as RecordedFact;
    const { state: goesOn } = given(...begun);
    const free = { ...goesOn, run: { ...(goesOn.run as RunState), owner: null } };
    expect(evolve(free, { ...resume, revision: free.revision + 1 }).run).toEqual(free.run);
  });

  test('can be canceled', () => {
    expect(given(...begun, pauses, canceled).state.run?.status).toBe('canceled');
  });

  test('goes on once: who pauses or resumes it again changes nothing', () => {
    given(...begun, pauses)
      .when((state) => pauseRun(state, { by: 'bob' }))
      .thenRefused({ kind: 'already' });
    given(...begun)
      .when((state) => resumeRun(state, { by: 'bob' }))
      .thenRefused({ kind: 'already' });
    given(...begun, pauses)
      .when((state) => resumeRun(state, { by: 'bob' }))
      .thenFacts(['runResumed', { by: 'bob' }]);
    expect(given(...begun, pauses, resumes).state.run).not.toHaveProperty('paused');
    given(opened)
      .when((state) => pauseRun(state, { by: 'bob' }))
      .thenRefused({ kind: 'no_run', status: 'none' });
    given(...begun, canceled)
      .when((state) => resumeRun(state, { by: 'bob' }))
      .thenRefused({ kind: 'no_run', status: 'canceled' });
  });

  test('that is over when it is resumed ends then', () => {
    const failing = {
      type: 'modelFailed',
      stepId: 'root',
      turn: 1,
      model: 'm',
      message: 'no',
      text: 'LLM error: no',
    } as const;
    const failed = [...begun, pauses, drove([failing])] as const;
    expect(given(...failed).state.run?.status).toBe('open');
    expect(hasWork(given(...failed).state.run as never)).toBe(false);
    expect(hasWork(given(...failed, resumes).state.run as never)).toBe(true);
    given(...failed, resumes)
      .when(drives([claim]))
      .thenFacts('runClaimed', ['runFailed', { text: 'LLM error: no' }]);
  });
});

test('the time of agents does not run while their run is paused', () => {
  const hasty = platformAgent('support/hasty', { executionMinutesMax: 1 });
  const hastier = platformAgent('support/hastier', { executionMinutesMax: 0.5 });
  const more = [hasty, hastier];
  const working = [
    opened,
    asked('Go.', { agent: hasty }),
    answered({ calls: [callsAgent('support/hastier')] }, { more }),
    drove([works(id, 'support/hastier')], { more }),
  ] as const;
  expect(nextDue(given(...working).state.run)).toBe(dawn + 30_000);
  const paused = given(...working, pauses).state;
  expect([nextDue(paused.run), isDue(paused.run, dawn + 3_600_000)]).toEqual([undefined, false]);
  const { state, log } = given(...working, pauses, answered({ step: child, calls: [call('look')] }, { more }), resumes);
  const at = (name: string) => log.find(({ fact }) => fact.case === name)?.time ?? 0;
  const pausedMs = at('runResumed') - at('runPaused');
  expect(pausedMs).toBeGreaterThan(0);
  expect(nextDue(state.run)).toBe(dawn + 30_000 + pausedMs);
  expect(state.run?.timeLimit?.endsAt).toBe(dawn + 60_000 + pausedMs);
  // Whoever resumes may have a clock that is behind: a pause takes no time away.
  const resume = log.find(({ fact }) => fact.case === 'runResumed') as RecordedFact;
  const behind = { ...resume, revision: paused.revision + 1, time: (paused.run?.paused?.at ?? 0) - 5_000 };
  expect(evolve(paused, behind).run?.timeLimit?.endsAt).toBe(dawn + 60_000);
});
