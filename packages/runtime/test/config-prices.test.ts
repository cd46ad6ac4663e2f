import { expect, test } from 'vitest';
import { ConfigError, parseAgentConfig } from '../src/index.ts';

/** What a configuration makes of a table of prices that it names. */
function pricesOf(table: string | object) {
  const read: string[] = [];
  const readFile = (path: string): string => {
    read.push(path);
    return typeof table === 'string' ? table : JSON.stringify(table, undefined, 2);
  };
  const { config } = parseAgentConfig('prices_file: ./prices.json\n', '/etc/agent/agent.yaml', { readFile });
  expect(read).toEqual(['/etc/agent/prices.json']);
  return config.prices;
}

function problemsOf(table: string | object): readonly string[] {
  try {
    pricesOf(table);
  } catch (error) {
    if (error instanceof ConfigError) return error.located;
    throw error;
  }
  throw new Error('it was taken');
}

test('a table in the shape of litellm is read: tokens, caches, thoughts, and long inputs', () => {
  expect(
    pricesOf({
      sample_spec: { input_cost_per_token: 0, output_cost_per_token: 'a text' },
      'gpt-5': {
        ...{ mode: 'chat', litellm_provider: 'openai', max_tokens: 8_192, supports_vision: true },
        ...{ input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-7 },
      },
      'gemini/pro': {
        ...{ input_cost_per_token: 1, output_cost_per_token: 2, cache_creation_input_token_cost: 3 },
        ...{ output_cost_per_reasoning_token: 4, input_cost_per_token_above_200k_tokens: 5 },
        ...{ output_cost_per_token_above_200k_tokens: 6, input_cost_per_token_above_128k_tokens: 7 },
        input_cost_per_audio_token: 'as it pleases',
      },
      'dall-e': { mode: 'image_generation', output_cost_per_image: 0.04 },
      embedding: { mode: 'embedding', input_cost_per_token: 1e-7, output_cost_per_token: null },
    }),
  ).toEqual({
    'gpt-5': { input: 1.25e-6, output: 1e-5, cached: 1.25e-7 },
    'gemini/pro': {
      ...{ input: 1, output: 2, cacheWritten: 3, reasoning: 4 },
      above: [
        { input: 7, output: 2, cacheWritten: 3, reasoning: 4, inputTokens: 128_000 },
        { input: 5, output: 6, cacheWritten: 3, reasoning: 4, inputTokens: 200_000 },
      ],
    },
  });
  expect(parseAgentConfig('name: a', 'agent.yaml').config).not.toHaveProperty('prices');
});

test('what is wrong with it is said with its place, all of it at once', () => {
  const table = [
    '{',
    '  "a": { "input_cost_per_token": "cheap", "output_cost_per_token": -1 },',
    '  "b": 5,',
    '  "c": {',
    '    "input_cost_per_token": 1',
    '  }',
    '}',
  ].join('\n');
  expect(problemsOf(table)).toEqual([
    expect.stringMatching(/^\/etc\/agent\/prices.json:2:10: "a".input_cost_per_token must be the price of one token/),
    expect.stringMatching(/^\/etc\/agent\/prices.json:2:43: "a".output_cost_per_token must be/),
    expect.stringMatching(/^\/etc\/agent\/prices.json:3:3: "b" must be a mapping/),
    '/etc/agent/prices.json:4:3: "c" lacks output_cost_per_token',
  ]);
});

test.each([
  ['{\n  "a": {,\n}', ':2:9: it is no JSON from here on'],
  ['{ "a": ', ':1:8: it is no JSON from here on'],
  ['[]', ': expected names of models with their prices'],
  [' '.repeat(16 * 1024 * 1024 + 1), ': it has 16777217 characters'],
])('a text that is no such table is refused', (text, problem) => {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`/etc/agent/prices.json${problem}`);
});

test('a file that cannot be read is named with the key that names it', () => {
  const readFile = () => {
    throw Object.assign(new Error('no'), { code: 'ENOENT' });
  };
  expect(() => parseAgentConfig('prices_file: p.json\n', '/c/agent.yaml', { readFile })).toThrow(
    /^prices_file: failed to read it: \/c\/p.json: there is no such file/,
  );
});

test('a name that means something to the language is a name like any other', () => {
  const table = '{ "__proto__": { "input_cost_per_token": 1, "output_cost_per_token": 1 } }';
  expect(Object.keys(pricesOf(table) ?? {})).toEqual(['__proto__']);
});
