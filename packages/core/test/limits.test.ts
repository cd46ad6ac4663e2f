import {
  AgentSteps,
  advance,
  type ConversationState,
  cancelStep,
  hasWork,
  messageRows,
  pauseRun,
  resumeRun,
} from '@stopgo/core';
import type { NewLimit } from '@stopgo/core/limits';
import { facts as wire } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { fact } from '../src/events/facts.ts';
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
      'The agent support/thrifty has used 1,200 of 1,000 tokens. Resume the run to let it use as much again, or give a new limit with that, or cancel it.';
    const reached = [{ kind: wire.LimitKind.TOKENS, used: 1_200n, most: 1_000n }];
    const pause = { by: '', reason, limitStepId: 'root', limitAgent: 'support/thrifty', reached };
    given(...begun('ask'))
      .when(spends('ask', 1_200))
      .thenFacts('modelResponded', ['runPaused', pause], 'runReleased')
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

describe('new limits, given when a run is resumed', () => {
  const agent = limited('ask', { agentCallsMax: 5 });
  const more = [agent];
  const begins = [opened, asked('Go.', { agent })] as const;
  const uses = (tokens: number) => answers({ calls: [call('look')], usage: usage(tokens) }, { more });
  const paused = [...begins, happened(uses(1_200))] as const;
  const givenMore =
    (...limits: readonly NewLimit[]) =>
    (state: ConversationState) =>
      resumeRun(state, { by: 'ada', limits });
  const tokens = (most: number): NewLimit => ({ kind: 'tokens', most });
  const calls = (most: number): NewLimit => ({ kind: 'agent_calls', most });
  const pausedAgain = (text: string) =>
    ['modelResponded', ['runPaused', { reason: expect.stringContaining(text) }], 'runReleased'] as const;

  test('stand on the record, with the agent and who gave them', () => {
    const limits = [
      { kind: wire.LimitKind.TOKENS, most: 5_000n },
      { kind: wire.LimitKind.AGENT_CALLS, most: 9n },
    ];
    given(...paused)
      .when(givenMore(tokens(5_000), calls(9)))
      .thenFacts(['runResumed', { by: 'ada', limits, limitAgent: 'agent', limitStepId: 'root' }]);
  });

  test('hold for the run from then on, counted from its beginning', () => {
    const on = [...paused, happened(givenMore(tokens(5_000))), drove([claim], { more })] as const;
    given(...on)
      .when(uses(3_799))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'model', turn: 3 });
    given(...on)
      .when(uses(3_800))
      .thenFacts(...pausedAgain('5,000 of 5,000 tokens'));
  });

  test('are not multiplied by how often somebody let it use as much again before', () => {
    const twice = [...paused, resumes, drove([claim], { more }), happened(uses(800))] as const;
    const on = [...twice, happened(givenMore(tokens(2_500))), drove([claim], { more })] as const;
    given(...on)
      .when(uses(500))
      .thenFacts(...pausedAgain('2,500 of 2,500 tokens'));
    given(...on)
      .when(uses(499))
      .thenFacts('modelResponded');
  });

  test('are what whoever resumes after that without any lets the agent use again', () => {
    const twice = [...paused, happened(givenMore(tokens(5_000))), drove([claim], { more }), happened(uses(3_800))];
    const on = [...twice, resumes, drove([claim], { more })] as const;
    given(...on)
      .when(answers({ calls: [call('look')], usage: usage(4_999) }, { more }))
      .thenFacts('modelResponded');
    given(...on)
      .when(answers({ calls: [call('look')], usage: usage(5_000) }, { more }))
      .thenFacts(...pausedAgain('10,000 of 10,000 tokens'));
  });

  test('stay when a later one is of something else', () => {
    const first = [...paused, happened(givenMore(tokens(5_000), calls(1))), drove([claim], { more })] as const;
    const again = [...first, happened(uses(3_800)), happened(givenMore(tokens(9_000)))] as const;
    expect(given(...again).state.run?.givenLimits).toEqual({
      tokens: { most: 9_000, since: 1 },
      agent_calls: { most: 1, since: 1 },
    });
  });

  test('may be of what its definition says nothing of, or be stricter', () => {
    const costs: NewLimit = { kind: 'cost', most: 2_000_000_000 };
    const on = [...paused, happened(givenMore(tokens(5_000), costs, calls(1))), drove([claim], { more })] as const;
    given(...on)
      .when(answers({ calls: [call('look')], usage: usage(10, 2_000_000_000) }, { more }))
      .thenFacts(...pausedAgain('used $2.00 of $2.00.'));
    given(...on)
      .when(answers({ calls: [callsAgent('audit'), callsAgent('support/billing')] }, { more }))
      .thenFacts(...pausedAgain('2 of 1 agent calls'));
  });

  test('are refused where the run would be paused at once: for what is used, and for what they do not name', () => {
    const usedUp = { kind: 'used_up', limit: 'tokens', used: 1_200 };
    given(...paused)
      .when(givenMore(tokens(1_200)))
      .thenRefused({ ...usedUp, isGiven: true });
    given(...paused)
      .when(givenMore(tokens(1_201)))
      .thenFacts('runResumed');
    given(...paused)
      .when(givenMore(calls(9)))
      .thenRefused({ ...usedUp, isGiven: false });
  });

  test('go no further than the configuration, and are of an agent that waits at a limit', () => {
    given(...paused)
      .when(givenMore(tokens(5_000), calls(101)))
      .thenRefused({ kind: 'beyond', limit: 'agent_calls', most: 100 });
    given(...paused)
      .when(givenMore(tokens(5_000), calls(100)))
      .thenFacts('runResumed');
    const bySomebody = happened((state) => pauseRun(state, { by: 'ada' }));
    for (const story of [given(...begins, bySomebody), given(...begins)])
      story.when(givenMore(tokens(5_000))).thenRefused({ kind: 'not_at_limit' });
  });

  test('of a called agent are its own, and of none once it was ended', () => {
    const below = [
      opened,
      asked('Go.'),
      answered({ calls: [callsAgent('support/thrifty')] }, { more }),
      drove([works('root#1.0', 'support/thrifty')], { more }),
      answered({ step: child, calls: [call('look')], usage: usage(1_200) }, { more }),
    ] as const;
    given(...below)
      .when(givenMore(tokens(2_000)))
      .thenFacts(['runResumed', { limitAgent: 'support/thrifty', limitStepId: child }]);
    const { run } = given(...below, happened(givenMore(tokens(2_000)))).state;
    const own = { tokens: { most: 2_000, since: 1 } };
    const story = given(...below, happened(givenMore(tokens(2_000))));
    const steps = new AgentSteps(story.state);
    for (const event of story.log) steps.add(event);
    expect(steps.list().map(({ limits }) => limits)).toEqual([undefined, [tokens(2_000)]]);
    expect([run?.givenLimits, run?.calls['root#1.0']?.called?.givenLimits]).toEqual([undefined, own]);
    const ended = happened((state) => cancelStep(state, { stepId: child, by: 'ada', reason: '' }));
    given(...below, ended)
      .when(givenMore(tokens(2_000)))
      .thenRefused({ kind: 'not_at_limit' });
  });

  test('name all that is used up at once', () => {
    const dear = platformAgent('support/thrifty', { limits: { onLimit: 'ask', tokensMax: 1_000, costMax: 500_000 } });
    const both = answers({ calls: [call('look')], usage: usage(1_200, 520_000_000) }, { more: [dear] });
    given(opened, asked('Go.', { agent: dear }))
      .when(both)
      .thenFacts(...pausedAgain('has used 1,200 of 1,000 tokens and $0.52 of $0.50.'));
    given(opened, asked('Go.', { agent: dear }), happened(both))
      .when(givenMore(tokens(5_000)))
      .thenRefused({ kind: 'used_up', limit: 'cost', used: 520_000_000, isGiven: false });
  });

  test('are absent in events of before, which mean what they meant', () => {
    const runId = given(...begins).state.run?.id ?? '';
    const pause = fact('runPaused', { runId, reason: 'used up', limitStepId: 'root' });
    const { run } = given(...begins, pause, fact('runResumed', { runId, by: 'ada' })).state;
    expect([run?.limitTimes, run?.paused]).toEqual([2, undefined]);
    expect(run).not.toHaveProperty('givenLimits');
    const { paused: old } = given(...begins, pause).state.run ?? {};
    expect(old).toMatchObject({ limitStepId: 'root' });
    expect(old).not.toHaveProperty('limit');
  });

  test('are said in the conversation, and with the step', () => {
    const costs: NewLimit = { kind: 'cost', most: 2_500_000_000 };
    const resumed = [...paused, happened(givenMore(tokens(5_000), costs))] as const;
    const story = given(...resumed);
    const said = story.log.flatMap((event) => messageRows(event)).map(({ content }) => content);
    expect(said.at(-1)).toBe('The run was resumed by ada: the agent agent may use up to 5,000 tokens and $2.50.');
    const limitsOf = ({ state, log }: ReturnType<typeof given>) => {
      const steps = new AgentSteps(state);
      for (const event of log) steps.add(event);
      return steps.list()[0]?.limits;
    };
    expect(limitsOf(given(...paused, resumes))).toBeUndefined();
    expect(limitsOf(story)).toEqual([tokens(5_000), costs]);
    const again = [...resumed, drove([claim], { more }), happened(uses(3_800))] as const;
    expect(limitsOf(given(...again, resumes))).toEqual([tokens(10_000), { ...costs, most: 5_000_000_000 }]);
    expect(limitsOf(given(...again, happened(givenMore(tokens(6_000)))))).toEqual([costs, tokens(6_000)]);
  });
});
