import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createModels, type ModelsOptions } from '../../src/models/index.ts';
import { answerOf, ask, environmentOf, impatientClock, NEVER, startFixture } from './fixture.ts';

/** Providers of the configuration, each asked where the one before could not answer. */
let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

const keys = { MAIN_KEY: 'main-secret-K3y', BACKUP_KEY: 'backup-secret-K3y' };
const [first, second] = ['main:gpt-5', 'backup:claude-sonnet-4-5'];

/** `main` speaks OpenAI's protocol, `backup` Anthropic's. */
function modelsWith(more: Partial<ModelsOptions> = {}, main = `${fixture.url}/main/v1`) {
  const fallbacks: object[] = [];
  const models = createModels({
    env: { ...environmentOf(fixture.url), ...keys },
    clock: impatientClock().clock,
    modelTimeoutMs: 15_000,
    endpoints: {
      main: { type: 'openai', keyVariable: 'MAIN_KEY', url: main },
      backup: { type: 'anthropic', keyVariable: 'BACKUP_KEY', url: fixture.url },
    },
    onFallback: (of) => fallbacks.push(of),
    ...more,
  });
  return { models, fallbacks };
}

async function generate(chain: readonly string[] = [first, second], more: Partial<ModelsOptions> = {}, main?: string) {
  const [name = '', ...others] = chain;
  const { models, fallbacks } = modelsWith(more, main);
  const outcome = await models.forModel(name, others).generate(ask(name, 'hi'), { signal: NEVER });
  const asked = (await fixture.requests()).map(({ url }) => (url.startsWith('/main/') ? 'main' : 'backup'));
  return { outcome, fallbacks, asked };
}

/** An address where nobody listens. */
async function nowhere(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

test('the first that is there answers, with its name, and the others are not asked', async () => {
  const { outcome, fallbacks, asked } = await generate();
  expect(answerOf(outcome)).toMatchObject({ endpoint: 'main', provider: 'openai', model: 'gpt-5' });
  expect([asked, fallbacks]).toEqual([['main'], []]);
});

test('a provider that is down: the next one answers, and that is told', async () => {
  const { outcome, fallbacks, asked } = await generate([first, second], {}, await nowhere());
  expect(answerOf(outcome)).toMatchObject({ endpoint: 'backup', provider: 'anthropic', model: 'claude-sonnet-4-5' });
  expect(asked).toEqual(['backup']);
  expect(fallbacks).toEqual([
    { model: first, instead: second, reason: expect.stringMatching(/^openai API error: connection failed/) },
  ]);
});

test.each([
  ['too many requests', 429, 3],
  ['a fault of the provider', 503, 3],
  ['a key that is not taken', 401, 1],
  ['an account that may not', 403, 1],
  ['a model that is not there', 404, 1],
])('%s: asked as often as it makes sense, then the next one is', async (_, status, times) => {
  await fixture.script(...Array.from({ length: times }, () => ({ error: { status, message: 'no' } })));
  const { outcome, asked } = await generate();
  expect(answerOf(outcome).endpoint).toBe('backup');
  expect(asked).toEqual([...Array.from({ length: times }, () => 'main'), 'backup']);
});

test.each([
  ['a request that is wrong', { error: { status: 400, message: 'no' } }],
  ['a conversation that is too long', { error: { status: 400, message: 'prompt is too long' } }],
  ['an answer without a word', { text: '' }],
  ['an answer that is none', { garbage: true }],
])('%s: nobody else is asked', async (_, fault) => {
  await fixture.script(fault);
  const { outcome, fallbacks, asked } = await generate();
  expect(outcome.kind).toBe('failed');
  expect([asked, fallbacks]).toEqual([['main'], []]);
});

test('where nobody can answer, the failure says what each said, and has the last one’s cause', async () => {
  const away = { error: { status: 401, message: 'who are you' } };
  await fixture.script(away, { error: { status: 404, message: 'which model' } });
  const { outcome } = await generate();
  expect(outcome).toEqual({
    kind: 'failed',
    message: 'openai API error (401): who are you; then Claude API error: which model',
    cause: 'unknown_model',
  });
});

test('a provider that is not configured, or has no key, is passed over', async () => {
  for (const chain of [
    ['nobody:gpt-5', second],
    ['groq:x', second],
  ])
    expect(answerOf((await generate(chain, { env: keys })).outcome).endpoint).toBe('backup');
  const { outcome } = await generate(['nobody:gpt-5']);
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('unknown LLM provider: "nobody"') });
});

describe('what was shown of an answer that broke off', () => {
  const broken = { truncateStream: true, text: 'this will not be complete' };

  test('is taken back, and what is shown then is the beginning of the answer that counts', async () => {
    await fixture.script(broken, { text: 'A whole answer.' });
    const shown: string[][] = [[]];
    const { models } = modelsWith();
    const outcome = await models.forModel(first, [second]).generate(ask(first, 'hi'), {
      signal: NEVER,
      onDelta: (text) => shown.at(-1)?.push(text),
      onRestart: () => shown.push([]),
    });
    expect(answerOf(outcome)).toMatchObject({ text: 'A whole answer.', endpoint: 'backup' });
    expect(shown).toHaveLength(2);
    expect(shown[0]?.join('')).not.toBe('');
    expect(shown[1]?.join('')).toBe('A whole answer.');
  });

  test('stays the only one for whoever cannot take it back', async () => {
    await fixture.script(broken, { text: 'A whole answer.' });
    const { models } = modelsWith();
    const onDelta = () => undefined;
    const outcome = await models.forModel(first, [second]).generate(ask(first, 'hi'), { signal: NEVER, onDelta });
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'unavailable' });
    expect(await fixture.requests()).toHaveLength(1);
  });

  test('is not taken back where nothing was shown', async () => {
    await fixture.script({ error: { status: 401, message: 'no' } }, { text: 'A whole answer.' });
    let restarts = 0;
    const { models } = modelsWith();
    await models.forModel(first, [second]).generate(ask(first, 'hi'), {
      signal: NEVER,
      onDelta: () => undefined,
      onRestart: () => {
        restarts += 1;
      },
    });
    expect(restarts).toBe(0);
  });
});

test('whoever gives up while the next one is asked gets the reason', async () => {
  await fixture.script({ error: { status: 401, message: 'no' } }, { hang: true });
  const leaving = new AbortController();
  const { models } = modelsWith({ onFallback: () => setImmediate(() => leaving.abort(new Error('left'))) });
  await expect(models.forModel(first, [second]).generate(ask(first, 'hi'), { signal: leaving.signal })).rejects.toThrow(
    'left',
  );
});

test('each provider is sent its own key, one at another address without a key none, and no text repeats one', async () => {
  const said = `who is ${keys.MAIN_KEY}?`;
  await fixture.script({ error: { status: 401, message: said } });
  const { outcome, fallbacks } = await generate();
  expect(outcome.kind).toBe('answer');
  expect(JSON.stringify(fallbacks)).toContain('who is [redacted]?');
  const [main, backup] = (await fixture.requests()).map(({ headers }) => headers);
  expect([main?.authorization, backup?.['x-api-key']]).toEqual([`Bearer ${keys.MAIN_KEY}`, keys.BACKUP_KEY]);
  await fixture.reset();
  const endpoints = { own: { type: 'openai', url: `${fixture.url}/own/v1` }, usual: { type: 'groq' } } as const;
  const { models } = modelsWith({ endpoints });
  for (const name of ['own:llama', 'usual:llama'])
    await models.forModel(name).generate(ask(name, 'hi'), { signal: NEVER });
  const usualKey = environmentOf('').GROQ_API_KEY;
  expect((await fixture.requests()).map(({ headers }) => headers.authorization)).toEqual([
    'Bearer no-key-needed',
    `Bearer ${usualKey}`,
  ]);
});

test('two providers of one type are two: each has its address and its key', async () => {
  const one = { type: 'openai', keyVariable: 'MAIN_KEY', url: `${fixture.url}/one/v1` } as const;
  const two = { type: 'openai', keyVariable: 'BACKUP_KEY', url: `${fixture.url}/two/v1` } as const;
  const { models } = modelsWith({ endpoints: { one, two } });
  for (const name of ['one:x', 'two:x', 'openai:x'])
    await models.forModel(name).generate(ask(name, 'hi'), { signal: NEVER });
  expect((await fixture.requests()).map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/one/v1/chat/completions', `Bearer ${keys.MAIN_KEY}`],
    ['/two/v1/chat/completions', `Bearer ${keys.BACKUP_KEY}`],
    ['/v1/chat/completions', `Bearer ${environmentOf('').OPENAI_API_KEY}`],
  ]);
});

test('a price of a provider’s own wins over that of its type', async () => {
  const prices = { 'main/gpt-5': { input: 1, output: 0 }, 'openai/gpt-5': { input: 0, output: 0 } };
  const { usage } = answerOf((await generate([first], { prices })).outcome);
  expect(usage.costNanoUsd).toBe(usage.inputTokens * 1_000_000_000);
});

test('what a provider of the configuration lacks is said by its own words', () => {
  const endpoints = {
    main: { type: 'openai', keyVariable: 'MAIN_KEY' },
    openai: { type: 'openai', keyVariable: 'OTHER_KEY' },
    odd: { type: 'ollama', url: 'localhost:1' },
  } as const;
  expect(createModels({ env: {}, endpoints }).check(['main:x', 'openai:x', 'odd:x', 'none:x'])).toEqual([
    'MAIN_KEY environment variable not set (needed by model "main:x")',
    'OTHER_KEY environment variable not set (needed by model "openai:x")',
    'api_url of the provider "odd" is not an http or https URL (needed by model "odd:x")',
    expect.stringContaining('(known: google, anthropic, openai, mistral, groq, openrouter, ollama, main, odd)'),
  ]);
});

test('media are shown to a chain of which one takes them', () => {
  const { models } = modelsWith();
  expect(models.forModel('main:x').takes('x', 'audio/ogg', 1)).toBe(false);
  expect(models.forModel('main:x', ['google:gemini-2.5-pro']).takes('x', 'audio/ogg', 1)).toBe(true);
});
