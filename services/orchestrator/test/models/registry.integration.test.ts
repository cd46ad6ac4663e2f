import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModels } from '../../src/models/index.ts';
import { resolveModel } from '../../src/models/model-name.ts';
import { answerOf, ask, impatientClock, NEVER, recorded, resultsFor, startFixture } from './fixture.ts';

let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

test.each([
  ['gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
  ['my-own-model', 'gemini', 'my-own-model'],
  ['claude-sonnet-5-5', 'anthropic', 'claude-sonnet-5-5'],
  ['google:gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
  ['anthropic:my:model', 'anthropic', 'my:model'],
  ['openai:gpt-5', 'openai', 'gpt-5'],
  ['mistral:mistral-large-latest', 'mistral', 'mistral-large-latest'],
  ['groq:openai/gpt-oss-120b', 'groq', 'openai/gpt-oss-120b'],
  ['openrouter:deepseek/deepseek-r1:free', 'openrouter', 'deepseek/deepseek-r1:free'],
  ['ollama:qwen3:8b', 'ollama', 'qwen3:8b'],
])('%s belongs to %s', (name, provider, model) => {
  expect(resolveModel(name)).toEqual({ kind: 'supported', provider, model });
});

test('what was handed to others before is written before a request is made', async () => {
  const order: string[] = [];
  const { clock } = impatientClock();
  const models = fixture.models({
    clock: {
      ...clock,
      monotonic: () => {
        order.push('asked');
        return clock.monotonic();
      },
    },
  });
  await models.warmUp(['gemini-2.5-flash']);
  setImmediate(() => {
    order.push('handed to the connection');
    setImmediate(() => order.push('written'));
  });
  await models.forModel('gemini-2.5-flash').generate(ask('gemini-2.5-flash', 'hi'), { signal: NEVER });
  expect(order.slice(0, 3)).toEqual(['handed to the connection', 'written', 'asked']);
});

test('what keeps a model from being called is said by name, one line each, before anything is called', async () => {
  const models = createModels({
    env: { ANTHROPIC_API_KEY: ' ', GEMINI_BASE_URL: 'localhost:1', OLLAMA_BASE_URL: 'localhost:11434' },
  });
  const names = [
    'gemini-2.5-flash',
    'claude-x',
    'openai:gpt-5',
    'mistral:x',
    'groq:x',
    'openrouter:x',
    'ollama:x',
  ].concat(['acme:x', 'google:', 'groq:', ' ']);
  expect(models.check(names)).toEqual([
    'GEMINI_API_KEY environment variable not set (needed by model "gemini-2.5-flash")',
    'GEMINI_BASE_URL is not an http or https URL (needed by model "gemini-2.5-flash")',
    'ANTHROPIC_API_KEY environment variable not set (needed by model "claude-x")',
    'OPENAI_API_KEY environment variable not set (needed by model "openai:gpt-5")',
    'MISTRAL_API_KEY environment variable not set (needed by model "mistral:x")',
    'GROQ_API_KEY environment variable not set (needed by model "groq:x")',
    'OPENROUTER_API_KEY environment variable not set (needed by model "openrouter:x")',
    'OLLAMA_BASE_URL is not an http or https URL (needed by model "ollama:x")',
    'unknown LLM provider: "acme" (known: google, anthropic, openai, mistral, groq, openrouter, ollama)',
    'model "google:": the name after "google:" is missing',
    'model "groq:": the name after "groq:" is missing',
    'the model name is empty; use for example gemini-2.5-flash',
  ]);
  expect(await models.forModel('claude-x').generate(ask('claude-x', 'hi'), { signal: NEVER })).toEqual({
    kind: 'failed',
    message: 'ANTHROPIC_API_KEY environment variable not set (needed by model "claude-x")',
    cause: 'unauthorized',
  });
  const broken = 'OPENAI_API_KEY holds a character that no key has, such as a line break (needed by model "openai:x")';
  for (const key of ['sk-1\nsk-2', 'sk-密', 'sk 1'])
    expect(createModels({ env: { OPENAI_API_KEY: key } }).check(['openai:x']), key).toEqual([broken]);
  expect(
    createModels({ env: { GEMINI_API_KEY: 'k' } }).check(['gemini-2.5-flash', 'ollama:x']),
    'only what is used needs a key',
  ).toEqual([]);
});

test('with an offline model every model goes there without a key and answers as "offline"', async () => {
  const models = createModels({ env: { GEMINI_BASE_URL: 'http://127.0.0.1:1' }, offlineModel: fixture.url });
  const names = [
    'gemini-2.5-flash',
    'anthropic:claude-x',
    'openai:x',
    'mistral:x',
    'groq:x',
    'openrouter:x',
    'ollama:x',
  ];
  expect(models.check([...names, 'acme:x'])).toHaveLength(1);
  await models.warmUp([...names, 'acme:x']);
  for (const name of names) {
    const port = models.forModel(name);
    const answer = answerOf(await port.generate(ask(name, 'add x value 1'), { signal: NEVER }));
    expect(answer.model).toBe('offline');
    const said = recorded(answer);
    const next = await port.generate(
      ask(
        name,
        'add x value 1',
        said,
        resultsFor(said, () => 'ok'),
      ),
      { signal: NEVER },
    );
    expect(answerOf(next)).toMatchObject({ text: 'resources_add returned: ok', model: 'offline' });
  }
});

test('the SDKs are not loaded by importing the models', () => {
  const folder = new URL('../../src/models/', import.meta.url);
  const source = readdirSync(folder)
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n');
  expect(source.match(/^import (?!type).*'(?:@google\/|@anthropic-ai\/|openai).*$/gm)).toBeNull();
});
