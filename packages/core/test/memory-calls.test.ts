import type { RequestedCall } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import type { Policy } from '../src/policy/policy.ts';
import { answered, answers, asked, callsAgent, drives, drove, works } from './agents.ts';
import { rule } from './rules.ts';
import { given } from './specification.ts';
import { answers as answersOf, call, grants, opened, returns, said } from './story.ts';

const begun = [opened, asked('Call me Ada.')] as const;
const saves = (args: unknown): RequestedCall => call('save_memory', args);
const id = 'root#1.0';

const recordedCalls = (state: readonly { readonly fact: { readonly case: string; readonly value: unknown } }[]) =>
  state.flatMap(({ fact }) =>
    fact.case === 'modelResponded' ? (fact.value as { readonly calls: readonly facts.Call[] }).calls : [],
  );

test('a call of a memory is done by the platform, safe to repeat, until its result is there', () => {
  given(...begun)
    .when(answers({ calls: [saves({ key: 'name', value: 'Ada' })] }))
    .thenFacts(['modelResponded', {}])
    .thenOwes({ kind: 'memory', id });
  given(...begun, answered({ calls: [saves({ key: 'name', value: 'Ada' })] }))
    .when(drives([returns(id, 'Saved.')]))
    .thenFacts(['toolCallFinished', { callId: id, content: 'Saved.' }])
    .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
});

test('each agent has its own: the record says whose memory a call is about', () => {
  const child = 'root#1.0/root';
  const { log } = given(
    ...begun,
    answered({ calls: [callsAgent('support/billing'), call('load_memory', { key: 'k' })] }),
    drove([works(id, 'support/billing')]),
    answered({ step: child, calls: [call('load_memory', { key: 'k' })] }),
  );
  expect(recordedCalls(log).map(({ memoryOf }) => memoryOf)).toEqual(['', 'support/tier1', 'support/billing']);
});

test('arguments that cannot be taken are refused before anybody is asked', () => {
  const { log } = given(...begun, answered({ calls: [saves({ key: 'a\u200bb', value: 1 }), saves({ key: 'a' })] }));
  expect(recordedCalls(log)).toMatchObject([
    {
      disposition: facts.Disposition.REFUSED,
      error: expect.stringMatching(/a key has 1 to 200 .*; nothing was saved/),
    },
    { disposition: facts.Disposition.REFUSED, error: expect.stringContaining('value is missing') },
  ]);
});

describe('a rule may ask about saving', () => {
  const policy: Policy = {
    rules: [rule('secrets', 'ask', { tool: 'save_memory', when: 'args.key.startsWith("secret")' })],
  };
  const value = { pin: 4711, hint: 'a\u200bb' };
  const calls = [saves({ key: 'secret of Ada', value }), saves({ key: 'plain', value: 1 })];
  const story = given(opened, asked('go', { policy }), answered({ calls }, { policy }));

  test('and its approval shows whose it is, key and value, with what is hidden', () => {
    const [approval] = story.log.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [fact.value] : []));
    expect(approval).toMatchObject({ kind: facts.ApprovalKind.TOOL, tool: 'save_memory', rule: 'secrets' });
    const [heading, , key, first] = approval?.description.split('\n') ?? [];
    expect([heading, key, first]).toEqual([
      '**SAVE Memory of Agent: support/tier1**',
      'Key: "secret of Ada"',
      'Value: ',
    ]);
    expect(approval?.description).toContain('> ' + '  "pin": 4711');
    expect(approval?.description).toContain('a\\u{200b}b');
  });

  test('and what it does not ask about is saved meanwhile', () => {
    const { log, state } = story;
    expect(state.run?.calls['root#1.1']?.phase).toBe('ready');
    expect(log.filter(({ fact }) => fact.case === 'runReleased')).toEqual([]);
  });
});

test('what is let run for the rest of a conversation lets no other agent save, nor anything else', () => {
  const policy: Policy = { rules: [rule('asks', 'ask', { tool: 'save_memory' })] };
  const value = saves({ key: 'k', value: 1 });
  const child = 'root#1.0/root';
  const { log } = given(
    ...[opened, asked('go', { policy })],
    answered({ calls: [callsAgent('support/billing'), value] }, { policy }),
    grants('root#1.1', 'any'),
    drove([works(id, 'support/billing', 'FULL', policy)], { policy }),
    answered({ step: child, calls: [value, saves({ key: 'other', value: 1 })] }, { policy }),
  );
  const { GATED } = facts.Disposition;
  expect(recordedCalls(log).map(({ disposition }) => disposition)).toEqual([1, GATED, GATED, GATED]);
});

test('an agent of a configuration has no memory', () => {
  given(opened, said('go'))
    .when(answersOf({ calls: [saves({ key: 'a', value: 1 })] }))
    .thenFacts(['modelResponded', { calls: [expect.objectContaining({ error: 'Tool not found: save_memory' })] }]);
});
