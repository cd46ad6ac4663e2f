import { advance, type ConversationState, hasWork, isDue, nextDue, parkedTasks, runStanding } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { decideLate } from '../src/run/decide-late.ts';
import {
  answered,
  answers,
  asked,
  callsAgent,
  completes,
  definitionsOf,
  drives,
  drove,
  platformAgent,
  works,
} from './agents.ts';
import { dawn, given } from './specification.ts';
import { asksFor, call, claim, opened, peer, question, returns, serverAsks, serverQuestion, starts } from './story.ts';

const minute = 60_000;
const hasty = platformAgent('support/hasty', { executionMinutesMax: 30 });
const hastier = platformAgent('support/hastier', { executionMinutesMax: 1 }, { agents: [peer] });
const more = [hasty, hastier];
const child = 'root#1.0/root';
const grandchild = `${child}#1.0/root`;
const overAt = dawn + 30 * minute;
const text = 'The agent support/hasty took longer than 30 minutes, which is as long as it may take.';

const calling = [opened, asked('I want a refund.'), answered({ calls: [callsAgent('support/hasty')] })] as const;
const working = [...calling, drove([works('root#1.0', 'support/hasty')], { more })] as const;
const looksAt = (now: number) => drives([], { now, more });

describe('an agent that may take only so long', () => {
  test('has its end on the record once it is called, and whoever looks knows when that is', () => {
    given(...calling)
      .when(drives([works('root#1.0', 'support/hasty')], { more }))
      .thenFacts(['agentCalled', { timeLimit: expect.objectContaining({ lastsMs: 30 * minute }) }], 'stepStarted');
    expect(nextDue(given(...working).state.run)).toBe(overAt);
  });

  test('has failed when its time is over, in words that its caller is told, and not before', () => {
    given(...working)
      .when(looksAt(overAt - 1))
      .thenNothing();
    given(...working)
      .when(looksAt(overAt))
      .thenFacts(
        ['stepCanceled', { stepId: child, text }],
        [
          'agentReturned',
          { callId: 'root#1.0', isError: true, output: { parts: [expect.objectContaining({ text })] } },
        ],
      )
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('is waited for no more by anybody who was asked below it, and nothing of it is left', () => {
    const asking = [...working, answered({ step: child, calls: [call('add')] }, { more })] as const;
    const { state } = given(...asking);
    expect(runStanding(state)).toBe('waiting');
    expect(isDue(state.run, overAt)).toBe(true);
    const over = given(...asking)
      .when(drives([claim], { now: overAt, more }))
      .thenFacts(
        'runClaimed',
        ['approvalResolved', { callId: `${child}#1.0`, decision: wire.Decision.WITHDRAWN, reason: text }],
        'stepCanceled',
        'agentReturned',
      ).state;
    expect(Object.keys(over.run?.steps ?? {})).toEqual(['root']);
    expect(Object.keys(over.run?.calls ?? {})).toEqual(['root#1.0']);
    expect(over.run?.interrupts).toEqual({});
  });

  test('takes those with it that it called, and what they used counts for its caller', () => {
    const below = [
      ...working,
      answered(
        { step: child, calls: [callsAgent('support/billing')], usage: { inputTokens: 10, outputTokens: 1 } },
        { more },
      ),
      drove([works(`${child}#1.0`, 'support/billing')], { more }),
      answered({ step: grandchild, calls: [call('look')], usage: { inputTokens: 100, outputTokens: 2 } }, { more }),
    ] as const;
    given(...below)
      .when(looksAt(overAt))
      .thenFacts('stepCanceled', [
        'agentReturned',
        { usage: expect.objectContaining({ inputTokens: 110, outputTokens: 3 }) },
      ])
      .thenOwes({ kind: 'model', stepId: 'root' });
  });

  test('whose caller has less time left ends with it, however late anybody looks', () => {
    const both = [
      ...working,
      answered({ step: child, calls: [callsAgent('support/hastier')] }, { more, now: overAt - 2 * minute }),
      drove([works(`${child}#1.0`, 'support/hastier')], { more, now: overAt - 2 * minute }),
    ] as const;
    expect(nextDue(given(...both).state.run)).toBe(overAt - minute);
    given(...both)
      .when(looksAt(overAt))
      .thenFacts(
        ['stepCanceled', { stepId: grandchild }],
        ['stepCanceled', { stepId: child }],
        ['agentReturned', { callId: 'root#1.0' }],
      );
  });

  test('leaves a call that had started to be heard of late', () => {
    const started = [
      ...working,
      answered({ step: child, calls: [call('note')] }, { more }),
      drove([starts(`${child}#1.0`)], { more }),
    ] as const;
    const over = [...started, drove([], { now: overAt, more })] as const;
    const outcome = returns(`${child}#1.0`, 'noted');
    given(...over)
      .when(drives([outcome], { more }))
      .thenNothing();
    const late = given(...over).when((state) => decideLate(state, 'run-1', child, outcome as never)).decision;
    expect(late).toMatchObject([{ case: 'toolCallFinished', value: { late: true } }]);
  });

  test('leaves a task of another agent to be ended there, until that is on the record', () => {
    const delegating = [
      ...working,
      answered({ step: child, calls: [callsAgent('support/hastier')] }, { more }),
      drove([works(`${child}#1.0`, 'support/hastier')], { more }),
      answered({ step: grandchild, calls: [call('a2a_peer', { message: 'Bring it.' })] }, { more }),
      drove([starts(`${grandchild}#1.0`)], { more }),
      drove([asksFor(`${grandchild}#1.0`, [question('one')])], { more }),
    ] as const;
    const over = [...delegating, drove([claim], { now: overAt, more })] as const;
    const { state } = given(...over);
    const task = { runId: 'run-1', agentDigest: 'agent support/hastier', call: { id: `${grandchild}#1.0` } };
    expect(parkedTasks(state)).toMatchObject([task]);
    const lost = {
      type: 'callUnknown',
      callId: `${grandchild}#1.0`,
      attempt: 1,
      reason: 'gone',
      argumentsJson: '',
    } as const;
    const ended = given(...over, (now: ConversationState) => decideLate(now, 'run-1', grandchild, lost)).state;
    expect(parkedTasks(ended)).toEqual([]);
    expect(ended.run?.status).toBe('open');
  });

  test('that has not begun has failed all the same', () => {
    const { state } = given(...working);
    const { run } = state;
    const cut = { ...state, run: run && { ...run, steps: Object.fromEntries(Object.entries(run.steps).slice(0, 1)) } };
    const { facts } = advance(definitionsOf(...more), cut, overAt);
    expect(facts.map((one) => one.case)).toEqual(['stepCanceled', 'agentReturned']);
  });
});

describe('a run whose own agent may take only so long', () => {
  const begun = [opened, asked('I want a refund.', { agent: hasty })] as const;
  const failed = 'The run took longer than 30 minutes, which is as long as its agent may take.';

  test('has failed when that is over, also while it waits for people', () => {
    const asking = [...begun, answered({ calls: [call('add')] }, { more })] as const;
    const { state } = given(...asking);
    expect([nextDue(state.run), hasWork(state.run as never), state.run?.owner]).toEqual([overAt, false, null]);
    given(...asking)
      .when(drives([claim], { now: overAt, more }))
      .thenFacts(
        'runClaimed',
        ['approvalResolved', { decision: wire.Decision.WITHDRAWN }],
        ['runFailed', { text: failed }],
      );
  });

  test('is not due once it has ended', () => {
    expect(nextDue(given(...begun, answered({ calls: [completes('Done.')] }, { more })).state.run)).toBeUndefined();
  });
});

test('an agent without a limit has none on the record, and nothing is due', () => {
  const endless = [opened, asked('Go.'), answered({ calls: [callsAgent('support/billing')] })] as const;
  const { log, state } = given(...endless, drove([works('root#1.0', 'support/billing')]));
  expect(nextDue(state.run)).toBeUndefined();
  for (const { fact } of log) if (fact.case === 'agentCalled') expect(fact.value.timeLimit).toBeUndefined();
});

test('what a tool server asks below it is withdrawn with it', () => {
  const asking = [
    ...working,
    answered({ step: child, calls: [call('note')] }, { more }),
    drove([starts(`${child}#1.0`)], { more }),
    drove([serverAsks(`${child}#1.0`, [serverQuestion('q-1', { waitMs: 60 * minute })])], { more }),
  ] as const;
  given(...asking)
    .when(looksAt(overAt))
    .thenFacts(['inputWithdrawn', { callId: `${child}#1.0`, reason: text }], 'stepCanceled', 'agentReturned');
});

test('a token that a call below it waits for is not asked for any more', () => {
  const waiting = [
    ...working,
    answered({ step: child, calls: [call('note')] }, { more }),
    drove([{ type: 'needToken', callId: `${child}#1.0`, prompt: 'Sign in.' }], { more }),
  ] as const;
  expect(Object.values(given(...waiting).state.run?.interrupts ?? {})).toMatchObject([{ kind: 'auth' }]);
  expect(given(...waiting, drove([claim], { now: overAt, more })).state.run?.interrupts).toEqual({});
});

test('answers of a model that come after the end are not taken', () => {
  given(...working, drove([], { now: overAt, more }))
    .when(answers({ step: child, calls: [completes('Done.')] }, { more }))
    .thenNothing();
});
