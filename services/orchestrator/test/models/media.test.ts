import { expect, test } from 'vitest';
import { type AdapterOptions, createPort, type GenerateOnce, type Provider } from '../../src/models/adapter.ts';
import { anthropicMessages } from '../../src/models/anthropic-request.ts';
import { geminiContents } from '../../src/models/gemini-request.ts';
import { createModels } from '../../src/models/index.ts';
import { showsMedia } from '../../src/models/media.ts';
import { dialects } from '../../src/models/openai-dialects.ts';
import { looksAtMedia, openaiMessages, stoppedBeforeAnswer } from '../../src/models/openai-request.ts';
import type { ModelAnswer, ModelMedia, ModelMessage, ModelRequest } from '../../src/models/port.ts';

const bytes = new Uint8Array([1, 2, 3]);
const media = (mediaType: string, size = 3): ModelMedia => ({ digest: 'd', mediaType, size, bytes, leftOut: '' });
const told = (...shown: readonly ModelMedia[]): ModelMessage[] => [
  { role: 'user', text: 'look' },
  {
    role: 'assistant',
    text: '',
    provider: '',
    calls: [{ callId: 'c', providerCallId: '', name: 'look', argumentsJson: '{}' }],
  },
  {
    role: 'tool',
    results: [{ callId: 'c', providerCallId: '', name: 'look', content: 'seen', isError: false, media: shown }],
  },
];
const png = media('image/png');

test('Gemini has pictures inside of the response since version 3, and beside it before', () => {
  const since3 = geminiContents(told(png), 'gemini-3-pro', 'live').at(-1)?.parts;
  expect(since3).toMatchObject([
    { functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }] } },
  ]);
  const before = geminiContents(told(png), 'gemini-2.5-flash', 'live').at(-1)?.parts;
  expect(before).toHaveLength(2);
  expect(before?.[0]?.functionResponse?.parts).toBeUndefined();
  expect(before?.[1]).toEqual({ inlineData: { mimeType: 'image/png', data: 'AQID' } });
  const { bytes: _, ...bare } = media('image/gif');
  const gif = geminiContents(told({ ...bare, leftOut: 'why' }), 'gemini-3-pro', 'live').at(-1)?.parts;
  expect(gif?.[0]?.functionResponse?.response).toEqual({ output: 'seen\n[image/gif of 3 bytes is not shown: why]' });
});

test('Claude has pictures and documents as blocks of the result', () => {
  const content = (...shown: readonly ModelMedia[]) => anthropicMessages(told(...shown), 'live').at(-1)?.content[0];
  expect(content(png, media('application/pdf'))).toMatchObject({
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf' } },
    ],
  });
});

test('chat completions have media after the results, of a user who says whose they are, and the user who follows says his own words', () => {
  const to = { system: '', model: 'gpt-5', dialect: dialects.openai, origin: 'live' } as const;
  const messages = openaiMessages([...told(png), { role: 'user', text: 'and now?' }], to);
  const [, , result, word, beside, stopped, next] = messages;
  expect(messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant', 'user'],
    ...['assistant', 'user'],
  ]);
  expect(word?.content).toBe(looksAtMedia);
  expect(beside?.content).toEqual([
    { type: 'text', text: expect.stringContaining('not from the user') },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
  ]);
  expect([stopped?.content, next?.content]).toEqual([stoppedBeforeAnswer, 'and now?']);
  // No base64 is ever text.
  expect(JSON.stringify(result)).not.toContain('AQID');
});

test.each<[string, string, number, boolean]>([
  ['gemini-3-pro', 'image/gif', 1, false],
  ['gemini-3-pro', 'image/webp', 1, true],
  ['gemini-3-pro', 'audio/wav', 1, true],
  ['claude-sonnet-5-5', 'image/gif', 3_932_160, true],
  ['claude-sonnet-5-5', 'image/png', 3_932_161, false],
  ['claude-sonnet-5-5', 'audio/wav', 1, false],
  ['openai:gpt-5', 'image/png', 3_000_001, false],
  ['openai:gpt-5', 'application/pdf', 3_000_001, true],
  ['openai:gpt-5', 'audio/wav', 1, false],
  ['openai:gpt-audio', 'audio/wav', 1, true],
  ['mistral:voxtral-small', 'audio/mpeg', 1, true],
  ['groq:llama-4', 'application/pdf', 1, false],
  ['ollama:qwen3', 'application/zip', 1, false],
  ['unknown:x', 'image/png', 1, false],
])('%s and %s of %i bytes: %s', (name, mediaType, size, takes) => {
  expect(createModels({ env: {} }).forModel(name).takes(name, mediaType, size)).toBe(takes);
});

/** A second for each request, on a clock that ends no sleep and notes how long each would be. */
function atTime(now: () => number, sleeps: number[] = []): AdapterOptions {
  const sleep = (ms: number) => new Promise<void>(() => void sleeps.push(ms));
  const clock = { monotonic: now, sleep, random: () => 0 };
  return { timeoutMs: 1_000, clock, redact: (text: string) => text } as unknown as AdapterOptions;
}

/** A provider that takes whatever it is given. */
const anything: Provider = { errorPrefix: () => 'error', takes: () => true, mediaMax: 20 };
const { signal } = new AbortController();
const done = { kind: 'done', value: { text: 'seen' } as ModelAnswer } as const;

test('a provider that takes few media is told of the others in words', async () => {
  let asked: ModelRequest | undefined;
  const shown = Array.from({ length: 7 }, (_, index) => ({ ...png, digest: `${index}`, size: index + 1 }));
  const port = createPort(
    { ...anything, mediaMax: dialects.groq.mediaMax },
    atTime(() => 0),
    async (request) => {
      asked = request;
      return done;
    },
  );
  await port.generate({ model: 'm', system: '', messages: told(...shown), tools: [] }, { signal });
  const to = { system: '', model: 'm', dialect: dialects.groq, origin: 'live' } as const;
  const messages = openaiMessages(asked?.messages ?? [], to);
  expect(messages[2]?.content).toBe(
    ['seen', ...[1, 2].map((n) => `[image/png of ${n} bytes is not shown: this provider takes 5 in a request]`)].join(
      '\n',
    ),
  );
  expect(messages.at(-1)?.content).toHaveLength(6);
});

test('a request that is refused with its media is made once more without, and no other is', async () => {
  const asked: ModelRequest[] = [];
  const request: ModelRequest = { model: 'm', system: '', messages: told(png), tools: [] };
  const options = atTime(() => 0);
  const refusing =
    (status: number): GenerateOnce =>
    async (one) => {
      asked.push(one);
      return { kind: 'failed', message: 'no', status };
    };
  const ask = async (status: number, one = request) => {
    asked.length = 0;
    await createPort(anything, options, refusing(status)).generate(one, { signal });
    return asked.map(showsMedia);
  };
  expect(await ask(400)).toEqual([true, false]);
  expect(await ask(401)).toEqual([true]);
  expect(await ask(400, { ...request, messages: told() })).toEqual([false]);
  expect(asked[0]?.messages).toEqual(told());
});

test('a request that is refused is made again within the time that is left', async () => {
  let now = 0;
  const sleeps: number[] = [];
  const options = atTime(() => now, sleeps);
  const port = createPort(anything, options, async (one) => {
    now += 900;
    return showsMedia(one) ? { kind: 'failed', message: 'no', status: 400 } : done;
  });
  await port.generate({ model: 'm', system: '', messages: told(png), tools: [] }, { signal });
  expect(sleeps).toEqual([1_000, 100]);
});
