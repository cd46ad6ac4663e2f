import { expect, test } from 'vitest';
import { parseAgentConfig } from '../src/index.ts';

const parsed = (text: string) => parseAgentConfig(text, 'agent.yaml');
const entry = (text: string) => `providers:\n  ${text}\n`;

test('providers are read by name: what they speak, where they are, and the variable that holds their key', () => {
  const text = `providers:
  main: { type: OPENAI, api_key: env(MAIN_KEY), api_url: "https://models.example.com/v1" }
  spare: { type: ANTHROPIC }
  ollama: { type: OLLAMA, api_url: "http://10.0.0.2:11434/v1" }
`;
  const providers = {
    main: { type: 'openai', keyVariable: 'MAIN_KEY', url: 'https://models.example.com/v1' },
    spare: { type: 'anthropic' },
    ollama: { type: 'ollama', url: 'http://10.0.0.2:11434/v1' },
  };
  expect(parsed(text).config.providers).toEqual(providers);
  expect(parsed(text).named.providers).toEqual(providers);
  expect(parsed('name: a').config).not.toHaveProperty('providers');
});

test.each([
  ['main: { type: openai }', 'providers.main.type: expected OPENAI, ANTHROPIC'],
  ['main: {}', 'providers.main: type is required'],
  ['main: { type: GROQ, api_key: gsk_thesecretitself }', 'expected env(NAME)'],
  ['main: { type: GROQ, api_url: "https://u:thesecretitself@h" }', 'must not hold a user name'],
  ['main: { type: GROQ, api_url: models.example.com }', 'expected an http or https URL'],
  ['main: { type: GROQ, url: "https://h" }', 'unknown key "url"'],
  ['"a:b": { type: GROQ }', 'a name of a provider has 1 to 64 letters'],
  ['__proto__: { type: GROQ }', 'providers: a key is called __proto__'],
  ['google: { type: OPENAI }', 'models of this name are of another type already'],
  ['- { type: OPENAI }', 'expected names of providers'],
])('%s is refused', (text, why) => {
  const refused = () => parsed(entry(text));
  expect(refused).toThrow(why);
  expect(refused).not.toThrow(/thesecretitself/u);
});

test.each(['constructor', 'toString', 'valueOf'])('a provider may have the name %s, as any other', (name) => {
  const { config, named } = parsed(`${entry(`${name}: { type: GROQ }`)}llm: { model: "${name}:m" }\n`);
  expect(Object.entries(config.providers ?? {})).toEqual([[name, { type: 'groq' }]]);
  expect(Object.entries(named.providers)).toEqual([[name, { type: 'groq' }]]);
});

test('models are asked in their order: those of the node, else those of the top level', () => {
  const tree = `llm: { models: [a, b, c] }
agent:
  type: sequential
  agents:
    - { name: usual }
    - { name: own, models: [d, e] }
    - { name: one, model: f }
`;
  const { config, named } = parsed(tree);
  expect(config.agent).toMatchObject({
    agents: [{ model: 'a', fallbacks: ['b', 'c'] }, { model: 'd', fallbacks: ['e'] }, { model: 'f' }],
  });
  expect(config.agent).not.toHaveProperty('agents.2.fallbacks');
  expect(config.llm).toMatchObject({ model: 'a', fallbacks: ['b', 'c'] });
  expect(named.models.map(({ model, place }) => [model, place.join('.')])).toEqual([
    ['a', 'llm.models.0'],
    ['b', 'llm.models.1'],
    ['c', 'llm.models.2'],
    ['d', 'agent.agents.1.models.0'],
    ['e', 'agent.agents.1.models.1'],
    ['f', 'agent.agents.2.model'],
  ]);
  expect(parsed('llm: { models: [only] }').config.agent).toMatchObject({ model: 'only' });
});

test.each([
  ['llm: { model: a, models: [b] }', 'llm.models: cannot stand beside model; name that one first in models'],
  ['agent: { model: a, models: [b] }', 'agent.models: cannot stand beside model'],
  [
    'agent: { type: sequential, models: [b], agents: [{ prompt: x }] }',
    'models is not for a node of type "sequential"',
  ],
  ['llm: { models: [] }', 'llm.models: must name one model at least'],
  [`llm: { models: [${'a, '.repeat(9)}] }`, 'llm.models: must not name more than 8 models'],
])('%s is refused', (text, why) => {
  expect(() => parsed(text)).toThrow(why);
});
