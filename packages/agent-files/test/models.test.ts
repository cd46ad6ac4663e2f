import { expect, test } from 'vitest';
import { defineAgentFile, readAgentFile } from '../src/index.ts';

/** The models of an agent with these keys, and what is said of the file. */
function read(keys: string) {
  const text = `---\ndescription: It helps.\n${keys}\n---\nHelp.\n`;
  const { agent, problems, warnings } = readAgentFile({ path: 'helper/prompt.md', text });
  const root = agent === undefined ? undefined : defineAgentFile(agent, { model: 'usual' }).root;
  const { model, fallbacks } = root?.type === 'llm' ? root : {};
  return { model, fallbacks, said: [...problems, ...warnings].map(({ message }) => message) };
}

test.each<[string, string, readonly string[] | undefined, readonly string[]]>([
  ['', 'usual', undefined, []],
  ['model: gpt-5', 'gpt-5', undefined, []],
  ['model: gpt-5\nproviders: [main]', 'main:gpt-5', undefined, []],
  ['model: main:gpt-5\nproviders: [main]', 'main:gpt-5', undefined, []],
  [
    'model: gpt-5\nproviders: [main, spare, third]\nmodels: { spare: claude-x, third: llama }',
    ...(['main:gpt-5', ['spare:claude-x', 'third:llama'], []] as const),
  ],
  [
    'model: gpt-5\nproviders: [main, spare, third]\nmodels: { third: llama }',
    ...(['main:gpt-5', ['third:llama'], ['providers: "spare" is not asked: models names no model of it']] as const),
  ],
  ['model: gpt-5\nproviders: [main]\nmodels: { main: own }', 'main:own', undefined, []],
  ['providers: [main]', 'usual', undefined, ['providers: "main" is not asked: models names no model of it']],
  ['models: { main: own }', 'usual', undefined, ['models: "main" has no effect: it is not in providers']],
])('%j asks %s', (keys, model, fallbacks, said) => {
  expect(read(keys)).toEqual({ model, fallbacks, said });
});

test('a node of a tree has the models of its file, or its own', () => {
  const nodes = '[{ name: a }, { name: b, model: c }, { name: d, models: [e, f] }]';
  const text = `---\ndescription: It helps.\nmodel: m\nproviders: [p, q]\nmodels: { q: n }\nagent: { type: sequential, agents: ${nodes} }\n---\nHelp.\n`;
  const { agent } = readAgentFile({ path: 'helper/prompt.md', text });
  expect(agent && defineAgentFile(agent, { model: 'usual' }).root).toMatchObject({
    children: [{ model: 'p:m', fallbacks: ['q:n'] }, { model: 'c' }, { model: 'e', fallbacks: ['f'] }],
  });
  expect(agent && defineAgentFile(agent, { model: 'usual' }).root).not.toHaveProperty('children.1.fallbacks.0');
});

test('a file names at most so many providers', () => {
  expect(read(`providers: [${'p, '.repeat(9)}]`).said).toEqual(['providers: must not have more than 8 entries']);
});
