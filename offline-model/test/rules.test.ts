import { expect, test } from 'vitest';
import { wishesOf } from '../src/phrases.ts';
import { answerByRules } from '../src/rules.ts';
import type { DeclaredTool, Turn } from '../src/turn.ts';

const tool = (name: string, valueType = 'integer'): DeclaredTool => ({
  name,
  description: '',
  parameters: { type: 'object', properties: { value: { type: valueType } } },
});
const RESOURCES = [tool('resources_list'), tool('resources_add'), tool('resources_remove')];
const turn = (lastUserText: string, more: Partial<Turn> = {}): Turn => ({
  provider: 'gemini',
  model: 'm',
  instructions: '',
  lastUserText,
  results: [],
  media: [],
  tools: RESOURCES,
  inputCharacters: 0,
  ...more,
});
const list = { kind: 'list' };
const add = (name: string, value: string) => ({ kind: 'add', name, value });
const remove = (pattern: string) => ({ kind: 'remove', pattern });

test.each([
  ['list', [list]],
  ['list all resources', [list]],
  ['Show me all resources', [list]],
  ['What resources are there?', [list]],
  ['list resources matching ^test', [{ kind: 'list', pattern: '^test' }]],
  ['create a server my-test with value 42', [add('my-test', '42')]],
  ['add resource test-2 value 20', [add('test-2', '20')]],
  ['make X with value 3.', [add('X', '3')]],
  ['can you create a resource named foo.bar with a value of -7?', [add('foo.bar', '-7')]],
  ['create a with value 1 and b with value 2', [add('a', '1'), add('b', '2')]],
  ['add a value 1, b value 2 and c value 3', [add('a', '1'), add('b', '2'), add('c', '3')]],
  ['remove test-1', [remove('^test-1$')]],
  ['delete resource v1.0 please', [remove('^v1\\.0$')]],
  ['remove a, b and c', [remove('^a$'), remove('^b$'), remove('^c$')]],
  ['remove resource with id 17', [{ kind: 'remove', id: '17' }]],
  ['remove test-1 and then list all resources', [remove('^test-1$'), list]],
  ['ensure we have at least 3 resources', [{ kind: 'ensure', count: 3 }]],
  ['keep at least 2 servers starting with web-.', [{ kind: 'ensure', count: 2, prefix: 'web-' }]],
  ['show me the weather', []],
  ['hello', []],
])('%s', (text, wishes) => {
  expect(wishesOf(text)).toEqual(wishes);
});

test('a value is what the schema declares', () => {
  const value = (type: string) =>
    answerByRules(turn('add x value 5', { tools: [tool('resources_add', type)] })).calls[0]?.args;
  expect(value('integer')).toEqual({ name: 'x', value: 5 });
  expect(value('NUMBER')).toEqual({ name: 'x', value: 5 });
  expect(value('string')).toEqual({ name: 'x', value: '5' });
  expect(answerByRules(turn('add x value soon'))).toMatchObject({
    calls: [],
    text: expect.stringContaining('must be a number'),
  });
});

test('a tool that is not declared is not called; any declared tool can be called by name', () => {
  expect(answerByRules(turn('remove x', { tools: [tool('resources_list')] }))).toMatchObject({ calls: [] });
  expect(answerByRules(turn('call wait {"ms": 3}', { tools: [tool('wait')] })).calls).toEqual([
    { name: 'wait', args: { ms: 3 } },
  ]);
});

test('what another agent is asked to do is handed to it in the same words, if it is there', () => {
  const tools = [...RESOURCES, tool('a2a_keeper')];
  expect(answerByRules(turn('Ask the keeper to remove test-1 ', { tools })).calls).toEqual([
    { name: 'a2a_keeper', args: { message: 'remove test-1' } },
  ]);
  expect(answerByRules(turn('ask keeper to remove test-1')).calls.map(({ name }) => name)).not.toContain('a2a_keeper');
});

test('results are told with the name of the call and what came of it', () => {
  const report = (name: string, content: string, isError = false) =>
    answerByRules(turn('list', { results: [{ name, content, isError }] })).text;
  expect(report('resources_list', '{"resources":[{"id":"1","name":"a","value":9}],"count":1}')).toBe(
    'resources_list: 1 resource:\n- a = 9 (id 1)',
  );
  expect(report('resources_list', '{"resources":null,"count":0}')).toBe('resources_list: there are no resources.');
  expect(report('resources_remove', '{"removed_count":2,"removed_ids":["1","2"]}')).toBe(
    'resources_remove: removed 2 resources.',
  );
  expect(report('pay', 'receipt 7')).toBe('pay returned: receipt 7');
  expect(report('pay', 'The user rejected this call.')).toBe('pay was not carried out: The user rejected this call.');
  expect(report('find', '["rejected"]')).toBe('find returned: ["rejected"]');
  expect(report('pay', 'no money', true)).toBe('pay was not carried out: no money');
});

test('a task in the instructions takes the place of what the user said; the rest of them is no task', () => {
  const instructions =
    'You remove things. Look at them first.\nTask: As planned: list all resources\nstarting with web-';
  expect(answerByRules(turn('remove x', { instructions })).calls).toEqual([
    { name: 'resources_list', args: { pattern: '^web-' } },
  ]);
  expect(answerByRules(turn('remove x', { instructions: 'Add a with value 1.' })).calls).toMatchObject([
    { name: 'resources_remove' },
  ]);
});

test.each([
  ['You plan. Call no tools.', 'As I understand it: remove x'],
  ['Plan it, and do NOT use any tools!', 'As I understand it: remove x'],
  ['Call no tools.\nTask: Sum up: a, b', 'As I understand it: Sum up: a, b'],
  ['Use the tools.\nTask: Tell them: call no tools', expect.stringContaining('The tools I see')],
])('where the instructions want words it says what it understood: %s', (instructions, text) => {
  expect(answerByRules(turn('remove x', { instructions }))).toEqual({ text, calls: [] });
});

test('what is to be ensured: look, add one, and leave the loop once there are enough', () => {
  const wanted = 'ensure we have at least 2 servers starting with web-';
  const after = (count: number, tools = [...RESOURCES, tool('exit_loop')]) => {
    const content = JSON.stringify({ resources: [], count });
    return answerByRules(turn(wanted, { tools, results: [{ name: 'resources_list', content, isError: false }] }));
  };
  expect(answerByRules(turn(wanted)).calls).toEqual([{ name: 'resources_list', args: { pattern: '^web-' } }]);
  expect(after(1).calls).toEqual([{ name: 'resources_add', args: { name: 'web-2', value: 2 } }]);
  expect(after(2)).toEqual({ text: expect.stringContaining('2 resources'), calls: [{ name: 'exit_loop', args: {} }] });
  expect(after(3, RESOURCES).calls).toEqual([]);
});
