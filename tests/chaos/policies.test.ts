import { type Fact, fact } from '@stopgo/core';
import { create, facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { LoggedConversation } from '../promises/read-log.ts';
import { judgedByOthers } from './policies.ts';

const conversation = (...all: readonly Fact[]): LoggedConversation => ({
  id: 'c',
  events: all.map((one, index) => ({
    ...{ stream: 'conversation-c', revision: index + 1, eventId: '', time: 0 },
    ...{ actor: { kind: 'system', id: 'o' }, causationId: '', correlationId: '', fact: one },
  })),
});
const begun = (policyDigest: string): Fact => fact('runStarted', { runId: 'r', policyDigest });
const answered = (rule: string, policyDigest: string): Fact =>
  fact('modelResponded', { runId: 'r', calls: [create(facts.CallSchema, { rule, policyDigest })] });
const asked = (rule: string, policyDigest: string): Fact =>
  fact('approvalRequested', { runId: 'r', rule, policyDigest });

test('runs that keep their rules are found right', () => {
  const first = conversation(begun('a'), answered('one', 'a'), asked('one', 'a'), answered('', 'a'));
  expect(judgedByOthers([first, conversation(begun('b'), answered('other', 'b'))])).toEqual([]);
});

test('a judgement by another policy is found, and one by the rules of another', () => {
  expect(judgedByOthers([conversation(begun('a'), answered('other', 'b'))])).toEqual([
    'conversation c, event 2: rule other is of another policy than the run began with',
  ]);
  const first = conversation(begun('a'), asked('one', 'a'));
  expect(judgedByOthers([first, conversation(begun('b'), asked('one', 'b'))])).toEqual([
    'conversation c, event 2: rule one decides where the policy is another one',
  ]);
});
