import { type Fact, fact, type RecordedFact } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { wrongWithQuestions } from './people-asked.ts';

const ids = { inputId: 'i', runId: 'r', callId: 'root#1.0' };
const asked = fact('inputRequested', { ...ids, agentQuestion: { type: wire.InputType.CHOICE } });
const provided = fact('inputProvided', { ...ids, action: wire.InputAction.ACCEPT, contentJson: '{"answer":"yes"}' });
const got = (content: string): Fact => fact('toolCallFinished', { ...ids, stepId: 'root', content });

const wrong = (...all: readonly Fact[]) =>
  wrongWithQuestions(
    'c',
    all.map((one) => ({ fact: one }) as RecordedFact),
  );

test('a question that is answered once, with what its agent got, has nothing wrong with it', () => {
  expect(wrong(asked, provided, got('yes'))).toEqual([]);
  expect(wrong(asked)).toEqual([]);
});

test.each([
  ['an answer that is recorded twice', [asked, provided, provided, got('yes')], 'is settled 2 times'],
  ['an answer that its agent did not get', [asked, provided], 'its agent got "undefined"'],
  ['an answer of which its agent got another', [asked, provided, got('no')], 'its agent got "no"'],
  ['a result that nobody gave', [asked, got('yes')], 'nobody answered'],
])('%s is seen', (_, story, what) => {
  expect(wrong(...story)).toContainEqual(expect.stringContaining(what));
});
