import { byteLength, describeCall, describeQuestion, descriptionBytesMax } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { cutQuestions, questionWordsBytesMax } from '../../src/a2a/cut-questions.ts';
import { questionsIn } from '../../src/a2a/remote-questions.ts';

const message = { id: 'm1', text: 'Really?', time: 't1', data: [] };
const keyOf = (more: Partial<typeof message>, state: 'input-required' | 'auth-required' = 'input-required') =>
  questionsIn(state, { ...message, ...more })[0]?.key;

describe('a question in words', () => {
  test('has a key of what it says, and marks of its message and of its time', () => {
    const [kind, words, id, time] = keyOf({})?.split(' ') ?? [];
    expect(keyOf({ text: 'All?' })).toMatch(new RegExp(`^${kind} (?!${words})[0-9a-f]{64} ${id} ${time}$`));
    expect(keyOf({ id: 'm2' })).toMatch(new RegExp(`^${kind} ${words} (?!${id})[0-9a-f]{32} ${time}$`));
    expect(keyOf({ time: 't2' })).toMatch(new RegExp(`^${kind} ${words} ${id} (?!${time})[0-9a-f]{32}$`));
    expect(keyOf({ id: '', time: '' })).toBe(`${kind} ${words}  `);
    expect(keyOf({}, 'auth-required')).toBe(`auth ${keyOf({})}`);
  });

  test('that names an id is known by it', () => {
    const id = '00000000-0000-4000-8000-00000000000a';
    expect(keyOf({ text: `Approval required (id: ${id.toUpperCase()})` })).toBe(id);
  });
});

test('arguments that are nested too deep to be shown are no arguments that somebody could approve', () => {
  // As Node 20 and 24 do. Node 26 makes a text of any depth, which is the core's to judge (`question-identity.ts`).
  const nested = {
    toJSON: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  const data = [{ approval_id: 'x', tool: 'pay', arguments: nested }];
  expect(questionsIn('input-required', { ...message, data: data as never })).toMatchObject([
    { key: 'x', approval: { argumentsJson: '', isUnreadable: true } },
  ]);
});

test('what asks for a file can only be declined, and says why: no file is sent along with a decision', () => {
  const asks = (mode: string, more: object[] = []) =>
    questionsIn('input-required', { ...message, data: [{ input_id: 'i', kind: 'input', mode }, ...more] as never });
  expect(asks('file')).toEqual([
    {
      key: keyOf({}),
      kind: 'approval',
      prompt: expect.stringMatching(/^\(It asks for a file\. No file can be sent .*\)\n\nReally\?$/),
      approval: { id: '', tool: '', server: '', argumentsJson: '', choices: ['reject'], agents: [] },
    },
  ]);
  expect(asks('form')).toEqual([{ key: keyOf({}), kind: 'approval', prompt: 'Really?' }]);
  // What is decided besides is asked for first.
  expect(asks('file', [{ approval_id: 'x', choices: ['approve', 'reject'] }])).toMatchObject([{ key: 'x' }]);
});

test('the words of a message with several questions are of none of them: each has its own, or its arguments', () => {
  const data = [
    { approval_id: 'own', arguments: {}, description: 'Reboot test-1' },
    { approval_id: 'arguments', arguments: { host: 'test-1' } },
    { approval_id: 'neither' },
  ];
  const prompts = questionsIn('input-required', { ...message, data: data as never }).map(({ prompt }) => prompt);
  expect(prompts).toEqual(['Reboot test-1', '', 'Really?']);
});

test('the words of an agent are whole for as long as they can be shown: those that only describe the call are not shown twice', () => {
  const ask = { agent: 'peer', agents: [], tool: 'write', choices: [] };
  const describedBy = (bytes: number) => {
    const bare = byteLength(describeCall(ask.tool, JSON.stringify({ text: '' })));
    const args = { text: 'x'.repeat(bytes - bare) };
    const data = [{ approval_id: 'a', arguments: args, description: describeCall(ask.tool, JSON.stringify(args)) }];
    const questions = questionsIn('input-required', { ...message, data: data as never });
    const [prompt = ''] = cutQuestions({ questions }).questions.map((one) => one.prompt);
    return { prompt, shown: describeQuestion({ ...ask, prompt, argumentsJson: JSON.stringify(args) }) };
  };
  for (const bytes of [1_000, questionWordsBytesMax + 1, descriptionBytesMax]) {
    const { prompt, shown } = describedBy(bytes);
    expect(byteLength(prompt)).toBe(bytes);
    expect(shown).not.toContain('The agent says');
  }
});

test('words that are too long to be shown are cut, and any other letter of them is another question', () => {
  const promptsOf = (end: string) => {
    const text = 'x'.repeat(1_000_000) + end;
    const data = [{ approval_id: 'a' }, { approval_id: 'b' }, { approval_id: 'c', description: text }];
    const questions = questionsIn('input-required', { ...message, text, data: data as never });
    return cutQuestions({ questions }).questions.map(({ prompt }) => prompt);
  };
  const [first = '', ...others] = promptsOf('1');
  expect(byteLength(first)).toBeLessThanOrEqual(questionWordsBytesMax);
  expect(others).toEqual([first, first]);
  for (const prompt of promptsOf('2')) expect(prompt).not.toBe(first);
});
