import { create } from '@bufbuild/protobuf';
import {
  byteLength,
  checkContextId,
  contextOf,
  createConversation,
  type EarlierText,
  type EarlierTexts,
  type Fact,
  latestThatFit,
  type PromptScope,
  principalOf,
  promptMessages,
  TranscriptBuilder,
  textToTell,
} from '@stopgo/core';
import { views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { earlierTextsLeftOut } from '../src/text/texts.ts';
import { given, type Happening } from './specification.ts';
import { answered, said } from './story.ts';

const id = 'c0ffee00-0000-4000-8000-000000000001';
const user = (text: string, conversationId = 'first'): EarlierText => ({ conversationId, byUser: true, text });
const agent = (text: string, conversationId = 'first'): EarlierText => ({ conversationId, byUser: false, text });

const createdIn = (contextId: string, earlier: EarlierTexts, principal = 'anonymous'): Fact =>
  createConversation({
    ...{ id, sessionId: 's', agentName: 'a', systemPrompt: '', contextId, earlier, principal },
  })[0] as Fact;

const prompt = (scope: PromptScope, ...happenings: readonly Happening[]) => {
  const transcript = new TranscriptBuilder();
  for (const event of given(...happenings).log) transcript.add(event);
  return promptMessages(transcript, scope).map((one) => [one.role, one.role === 'tool' ? '' : one.text]);
};

describe('a conversation in a context', () => {
  const earlier = { texts: [user('My name is Ada.'), agent('Hello Ada.'), user('And I bake.')], leftOut: false };
  const inContext = createdIn('ours', earlier);

  test('belongs to it, and to whoever opened it', () => {
    const { state } = given(createdIn('ours', earlier, 'member'));
    expect([contextOf(state), principalOf(state)]).toEqual(['ours', 'member']);
  });

  test('that names none is its own, and belongs to the anonymous one', () => {
    for (const named of ['', id]) {
      const { state } = given(createdIn(named, { texts: [], leftOut: false }));
      expect([contextOf(state), principalOf(state)]).toEqual([id, 'anonymous']);
      // As before there were contexts: what is stored of such conversations is still what it comes to.
      expect(Object.keys(state)).not.toContain('contextId');
    }
  });

  test('is told what was said there before everything else', () => {
    expect(prompt({ kind: 'conversation' }, inContext, said('Who am I?'))).toEqual([
      ['user', 'My name is Ada.'],
      ['assistant', 'Hello Ada.'],
      ['user', 'And I bake.'],
      ['user', 'Who am I?'],
    ]);
  });

  test('tells a node of a tree the turns that were answered', () => {
    const scope = { kind: 'step', runId: 'run-1', stepId: 'root' } as const;
    expect(prompt(scope, inContext, said('Who am I?'))).toEqual([
      ['user', 'My name is Ada.'],
      ['assistant', 'Hello Ada.'],
      ['user', 'Who am I?'],
    ]);
  });

  test('says that something is left out, where it is', () => {
    const cut = createdIn('ours', { texts: [agent('Hello Ada.')], leftOut: true });
    expect(prompt({ kind: 'conversation' }, cut, said('Who?'), answered({ text: 'Ada.' }))).toEqual([
      ['user', earlierTextsLeftOut],
      ['assistant', 'Hello Ada.'],
      ['user', 'Who?'],
      ['assistant', 'Ada.'],
    ]);
  });
});

describe('of what was said in a context', () => {
  const newestFirst = [agent('four'), user('three'), agent('two'), user('one')];
  const told = ({ texts, leftOut }: EarlierTexts) => [...texts.map(({ text }) => text), leftOut];

  test('all is told if it fits, the oldest first', () => {
    expect(told(latestThatFit(newestFirst, { textsMax: 4, bytesMax: 15 }))).toEqual([
      'one',
      'two',
      'three',
      'four',
      false,
    ]);
  });

  test('the oldest is left out, by number and by bytes', () => {
    expect(told(latestThatFit(newestFirst, { textsMax: 3, bytesMax: 1_000 }))).toEqual(['two', 'three', 'four', true]);
    expect(told(latestThatFit(newestFirst, { textsMax: 4, bytesMax: 12 }))).toEqual(['two', 'three', 'four', true]);
  });

  test('a text that does not fit whole is cut and marked, where there is room for the mark', () => {
    const long = user('ä'.repeat(1_000));
    const { texts, leftOut } = latestThatFit([agent('short'), long], { textsMax: 4, bytesMax: 505 });
    expect([texts.length, leftOut]).toEqual([2, true]);
    expect(byteLength(texts[0]?.text ?? '')).toBeLessThanOrEqual(500);
    expect(texts[0]?.text).toMatch(/^ä+\n\[cut: 2000 bytes in full/);
  });

  test('decisions, prompts, calls and their results are not told', () => {
    const message = (role: string, content: string, more: object = {}) =>
      textToTell(create(views.MessageSchema, { role, content, ...more }));
    expect(message('user', 'hello')).toBe('hello');
    expect(message('assistant', 'Hello.')).toBe('Hello.');
    expect(message('assistant', '[APPROVAL]: Approved')).toBe('[APPROVAL]: Approved');
    expect(message('user', '[APPROVAL]: Approved')).toBe('');
    expect(message('system', 'Help.')).toBe('');
    expect(message('assistant', 'x', { toolCall: { name: 'add' } })).toBe('');
  });
});

test('the id of a context is of any text that is short and can be printed', () => {
  for (const sound of ['', 'ctx-1', 'a context of ours: ✓', '../../etc', 'x'.repeat(256)]) checkContextId(sound);
  for (const bad of ['x'.repeat(257), '✓'.repeat(86), 'a\nb', '\u0000', '\ud800'])
    expect(() => checkContextId(bad), JSON.stringify(bad)).toThrow(/the context id/);
});
