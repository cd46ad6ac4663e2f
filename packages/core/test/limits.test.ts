import { advance, hasWork, pauseRun, resumeRun } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
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
import { given } from './specification.ts';
import { call, claim, happened, opened } from './story.ts';

const child = 'root#1.0/root';
const usage = (tokens: number, costNanoUsd?: number) => ({
  inputTokens: tokens - 1,
  outputTokens: 1,
  ...(costNanoUsd === undefined ? {} : { costNanoUsd }),
});
const limited = (onLimit: 'ask' | 'end', more = {}) =>
  platformAgent('support/thrifty', { limits: { onLimit, tokensMax: 1_000, ...more } });
const resumes = happened((state) => resumeRun(state, { by: 'ada' }));
const begun = (onLimit: 'ask' | 'end', more = {}) => [opened, asked('Go.', { agent: limited(onLimit, more) })] as const;
const spends = (onLimit: 'ask' | 'end', tokens: number) =>
  answers({ calls: [call('look')], usage: usage(tokens) }, { more: [limited(onLimit)] });

describe('an agent that may use only so much', () => {
  test('goes on below that, and asks nobody', () => {
    given(...begun('ask'))
      .when(spends('ask', 999))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'model', turn: 2 });
  });

  test('pauses the run before its model is asked beyond that, and says how much that is', () => {
    const reason =
      'The agent support/thrifty has used 1,200 of 1,000 tokens. Resume the run to let it use as much again, or cancel it.';
    given(...begun('ask'))
      .when(spends('ask', 1_200))
      .thenFacts('modelResponded', ['runPaused', { by: '', reason, limitStepId: 'root' }], 'runReleased')
      .thenOwes();
  });

  test('holds back what is owed then, so that whatever is under way is taken', () => {
    const { state } = given(...begun('ask'), happened(spends('ask', 1_200)));
    const { effects, held } = advance(definitionsOf(limited('ask')), state, 0);
    expect([effects, held]).toMatchObject([[], [{ kind: 'model', turn: 2 }]]);
  });

  test('may use as much again for each person who resumes the run', () => {
    const more = [limited('ask')];
    const paused = [...begun('ask'), happened(spends('ask', 1_200)), resumes] as const;
    expect(hasWork(given(...paused).state.run as never)).toBe(true);
    given(...paused)
      .when(drives([claim], { more }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'model', turn: 2 });
    given(...paused, drove([claim], { more }))
      .when(spends('ask', 800))
      .thenFacts(
        'modelResponded',
        ['runPaused', { reason: expect.stringContaining('2,000 of 2,000 tokens') }],
        'runReleased',
      );
  });

  test('that a person has paused besides is let use no more by whoever resumes it', () => {
    const bySomebody = happened((state) => pauseRun(state, { by: 'ada' }));
    expect(given(...begun('ask'), bySomebody, resumes).state.run?.limitTimes).toBeUndefined();
  });

  test('ends with that where it is to, in words', () => {
    given(...begun('end'))
      .when(spends('end', 1_200))
      .thenFacts('modelResponded', [
        'runFailed',
        { text: 'The agent support/thrifty has used 1,200 of 1,000 tokens, and ends with that.' },
      ]);
  });

  test('counts what those have used that work for it, also before they return', () => {
    const more = [limited('end')];
    const below = [
      opened,
      asked('Go.'),
      answered({ calls: [callsAgent('support/thrifty')], usage: usage(5_000) }, { more }),
      drove([works('root#1.0', 'support/thrifty')], { more }),
      answered({ step: child, calls: [callsAgent('support/billing')], usage: usage(500) }, { more }),
      drove([works(`${child}#1.0`, 'support/billing')], { more }),
    ] as const;
    given(...below)
      .when(answers({ step: `${child}#1.0/root`, calls: [call('look')], usage: usage(499) }, { more }))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'model' });
    given(...below)
      .when(answers({ step: `${child}#1.0/root`, calls: [call('look')], usage: usage(500) }, { more }))
      .thenFacts(
        'modelResponded',
        ['stepCanceled', { stepId: child, text: expect.stringContaining('1,000 of 1,000 tokens') }],
        ['agentReturned', { callId: 'root#1.0', isError: true }],
      )
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('may ask others only so often, and cost only so much', () => {
    const calls = platformAgent('support/thrifty', { limits: { onLimit: 'ask', agentCallsMax: 1 } });
    const many = [opened, asked('Go.', { agent: calls })] as const;
    const more = [calls];
    given(...many)
      .when(answers({ calls: [callsAgent('support/billing')] }, { more }))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'agent' });
    given(...many)
      .when(answers({ calls: [callsAgent('support/billing'), callsAgent('audit')] }, { more }))
      .thenFacts(
        'modelResponded',
        ['runPaused', { reason: expect.stringContaining('2 of 1 agent calls') }],
        'runReleased',
      );
    const costly = platformAgent('support/thrifty', { limits: { onLimit: 'end', costMax: 500_000 } });
    const dear = [opened, asked('Go.', { agent: costly })] as const;
    const spending = (nano: number) => answers({ calls: [call('look')], usage: usage(10, nano) }, { more: [costly] });
    given(...dear)
      .when(spending(499_999_999))
      .thenFacts('modelResponded');
    given(...dear)
      .when(spending(520_000_000))
      .thenFacts('modelResponded', ['runFailed', { text: expect.stringContaining('$0.52 of $0.50') }]);
  });

  test('that says that it is done is, whatever it has used', () => {
    given(...begun('end'))
      .when(answers({ calls: [completes('Done.')], usage: usage(5_000) }, { more: [limited('end')] }))
      .thenFacts('modelResponded', 'stepFinished', 'runCompleted');
  });

  test('of a called agent is let use more alone', () => {
    const more = [limited('ask')];
    const below = [
      opened,
      asked('Go.'),
      answered({ calls: [callsAgent('support/thrifty')] }, { more }),
      drove([works('root#1.0', 'support/thrifty')], { more }),
      answered({ step: child, calls: [call('look')], usage: usage(1_000) }, { more }),
    ] as const;
    expect(given(...below).state.run?.paused?.limitStepId).toBe(child);
    const { run } = given(...below, resumes).state;
    expect([run?.limitTimes, run?.calls['root#1.0']?.called?.limitTimes]).toEqual([undefined, 2]);
    const { effects } = advance(definitionsOf(...more), given(...below, resumes).state, 0);
    expect(effects).toMatchObject([{ kind: 'model', stepId: child }]);
  });
});
