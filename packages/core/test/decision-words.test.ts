import { choiceWords, decisionOfChoice, decisionOfWord, isSaidKind, type Json, parseDecision } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';

const { DecisionKind } = approvals;

const yes = ['yes', 'y', 'true', 'approve', 'approved', 'ok', 'confirm'];
const no = ['no', 'n', 'false', 'reject', 'rejected', 'deny', 'denied', 'cancel'];
const spellings = (word: string) => [word, word.toUpperCase(), `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`];
const kindOf = (body: Json) => {
  const parsed = parseDecision(body);
  return parsed.ok ? parsed.decision.kind : undefined;
};

describe('the words of a decision', () => {
  test.each(yes.flatMap(spellings))('%s approves, as action, answer and word', (word) => {
    expect([kindOf({ action: word }), kindOf({ answer: word }), decisionOfWord(word)]).toEqual([
      DecisionKind.APPROVE,
      DecisionKind.APPROVE,
      DecisionKind.APPROVE,
    ]);
  });

  test.each(no.flatMap(spellings))('%s rejects, as action, answer and word', (word) => {
    expect([kindOf({ action: word }), kindOf({ answer: word }), decisionOfWord(word)]).toEqual([
      DecisionKind.REJECT,
      DecisionKind.REJECT,
      DecisionKind.REJECT,
    ]);
  });

  test('a boolean decides, and may agree with a word', () => {
    expect([kindOf({ approved: true }), kindOf({ approved: false })]).toEqual([
      DecisionKind.APPROVE,
      DecisionKind.REJECT,
    ]);
    expect(kindOf({ approved: true, action: 'OK', answer: 'y' })).toBe(DecisionKind.APPROVE);
    expect(kindOf({ approved: false, answer: 'denied', by: 'ada' })).toBe(DecisionKind.REJECT);
  });

  test.each([
    ['run_again', DecisionKind.RUN_AGAIN],
    ['happened', DecisionKind.HAPPENED],
    ['give_up', DecisionKind.GIVE_UP],
  ])('%s is an action on a call in doubt, and no answer', (word, kind) => {
    expect([kindOf({ action: word.toUpperCase() }), kindOf({ answer: word })]).toEqual([kind, undefined]);
  });

  test('what happened may be told', () => {
    expect(parseDecision({ action: 'happened', result: 'id 7', by: 'ada' })).toEqual({
      ok: true,
      decision: { kind: DecisionKind.HAPPENED, result: 'id 7' },
      by: 'ada',
    });
    expect(parseDecision({ action: 'happened' })).toMatchObject({ decision: { result: '' } });
  });
});

describe('what a person can say', () => {
  // An edit has no word of its own: it is a yes that comes with arguments.
  const { UNSPECIFIED, EDIT } = DecisionKind;
  const all = Object.values(DecisionKind).filter((kind) => kind !== UNSPECIFIED && kind !== EDIT);

  test.each(all)('%i has a word, which is read as it', (kind) => {
    expect(isSaidKind(kind) && decisionOfChoice(choiceWords[kind])).toBe(kind);
  });

  test('is nothing that only the platform decides, and no number of another release', () => {
    const others = [DecisionKind.UNSPECIFIED, facts.Decision.EXPIRED, facts.Decision.WITHDRAWN, 9, -1];
    expect(others.filter(isSaidKind)).toEqual([]);
  });

  test('has the number under which it was sent before it had a field of its own', () => {
    const { APPROVED, REJECTED, RUN_AGAIN, HAPPENED, GIVE_UP } = facts.Decision;
    const { APPROVE, REJECT, WITHDRAW: _later, EDIT: _last, ...same } = DecisionKind;
    expect({ APPROVE, REJECT, ...same }).toEqual({
      ...{ UNSPECIFIED: 0, APPROVE: APPROVED, REJECT: REJECTED },
      ...{ RUN_AGAIN, HAPPENED, GIVE_UP },
    });
  });
});

describe('arguments', () => {
  test('go with a yes, and are an object', () => {
    const args = { arguments: { id: 'a' } };
    expect(parseDecision({ approved: true, ...args })).toMatchObject({
      ok: true,
      decision: { kind: DecisionKind.APPROVE, argumentsJson: '{"id":"a"}' },
    });
    for (const body of [
      { approved: false, ...args },
      { action: 'run_again', ...args },
      { approved: true, arguments: [] },
      { approved: true, arguments: null },
      { approved: true, arguments: '{}' },
      args,
    ])
      expect(parseDecision(body)).toMatchObject({ ok: false });
  });
});

describe('no decision', () => {
  test.each([
    ['an empty body', {}],
    ['null', null],
    ['a list', ['yes']],
    ['a word alone', 'yes'],
    ['a boolean alone', true],
    ['another word', { action: 'maybe' }],
    ['an empty word', { answer: '' }],
    ['a word within words', { answer: 'yes please' }],
    ['a boolean as text', { approved: 'true' }],
    ['a boolean as number', { approved: 1 }],
    ['a null', { approved: null }],
    ['a word that is a boolean', { action: true }],
    ['a word that is a number', { answer: 1 }],
    ['a list of words', { action: ['yes'] }],
    ['a field of another name', { approve: true }],
    ['a field of another case', { Approved: true }],
    ['an approver alone', { by: 'ada' }],
    ['an approver that is no text', { approved: true, by: 7 }],
    ['a result of what did not happen', { action: 'give_up', result: 'x' }],
    ['a result that is no text', { action: 'happened', result: 1 }],
    ['a boolean that disagrees with the action', { approved: true, action: 'no' }],
    ['a boolean that disagrees with the answer', { approved: false, answer: 'yes' }],
    ['an action that disagrees with the answer', { action: 'approve', answer: 'reject' }],
    ['a good word beside a bad one', { action: 'approve', answer: 'perhaps' }],
    ['a yes beside a choice', { approved: true, action: 'run_again' }],
  ] satisfies [string, Json][])('is %s', (_, body) => {
    expect(parseDecision(body)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
  });

  test('is told with all that is one', () => {
    const problemOf = (body: Json) => (parseDecision(body) as { readonly problem: string }).problem;
    const said = problemOf({ action: 'withdrow' });
    expect(said).toMatch(/^"action" is no decision \(did you mean withdraw\?\): /);
    for (const word of Object.values(choiceWords)) expect(said).toMatch(new RegExp(`\\b${word}\\b`));
    expect(problemOf({ answer: 'withdrow' })).toMatch(/^"answer" is no decision: /);
  });
});
