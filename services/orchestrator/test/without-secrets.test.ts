import { secretFilter } from '@stopgo/security';
import { describe, expect, test } from 'vitest';
import type { ModelAnswer, ModelPort } from '../src/models/port.ts';
import type { ExecuteAnswer, FenceOutcome, ToolPort } from '../src/tool-port.ts';
import { modelsWithoutSecrets, toolsWithoutSecrets } from '../src/without-secrets.ts';

const KEY = 'sk+live/0123456789==';
const secrets = secretFilter([KEY]);
const request = { model: 'm', system: '', messages: [], tools: [] };
const opaque = new TextEncoder().encode(KEY);

const answerOf = (more: Partial<ModelAnswer>): ModelAnswer => ({
  text: '',
  calls: [],
  provider: 'gemini',
  model: 'm',
  usage: { inputTokens: 0, outputTokens: 0 },
  stopReason: '',
  opaque,
  ...more,
});

const takes = (_: string, mediaType: string): boolean => mediaType === 'image/png';

function modelThat(generate: ModelPort['generate']): ModelPort {
  return modelsWithoutSecrets({ forModel: () => ({ takes, generate }) }, secrets).forModel('m');
}

const { signal } = new AbortController();

test('what a model takes it takes without the secrets too', () => {
  const model = modelThat(() => Promise.reject(new Error('not asked')));
  expect(['image/png', 'image/gif'].map((mediaType) => model.takes('m', mediaType, 1))).toEqual([true, false]);
});

describe('a model that repeats a key', () => {
  test('is shown without it, in its text and piece by piece, and what is the provider’s own stays', async () => {
    const model = modelThat(async (_, { onDelta }) => {
      for (const piece of ['The key is sk+l', 'ive/01234', '56789', '==, they s', 'ay sk+live']) onDelta?.(piece);
      return { kind: 'answer', answer: answerOf({ text: `The key is ${KEY}, they say sk+live` }) };
    });
    const shown: string[] = [];
    const outcome = await model.generate(request, { signal, onDelta: (text) => shown.push(text) });
    expect(outcome).toMatchObject({ answer: { text: 'The key is [secret], they say sk+live', opaque } });
    expect(shown.join('')).toBe('The key is [secret], they say sk+live');
    expect(shown.filter((piece) => piece === '' || /sk\+live\/|0123/.test(piece))).toEqual([]);
  });

  test('is refused calls that hold it, in words that do not repeat it; other calls stay as they are', async () => {
    const escaped = `{"a":"${[...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`;
    const call = (argumentsJson: string, name = 'send') => ({ providerCallId: 'c', name, argumentsJson });
    const fine = call('{"to":"ann","n":"\\u00e4"}');
    const model = modelThat(async () => ({
      kind: 'answer',
      answer: answerOf({
        calls: [
          fine,
          call(JSON.stringify({ deep: [{ x: `y${KEY}` }] })),
          call(JSON.stringify({ [KEY]: 1 })),
          call(escaped),
          call(`{"a":"${KEY.replace('s', '\\u0073').replace('/', '\\/')}"}`),
          call('{}', KEY),
        ],
      }),
    }));
    const outcome = await model.generate(request, { signal });
    if (outcome.kind !== 'answer') throw new Error('no answer');
    const [first, ...others] = outcome.answer.calls;
    expect(first).toEqual(fine);
    for (const one of others)
      expect(one).toMatchObject({ argumentsJson: '{}', refusal: expect.stringMatching(/hold a credential.*not run/) });
    expect(others.at(-1)?.name).toBe('[secret]');
    expect(JSON.stringify(outcome.answer.calls)).not.toContain('0123');
  });

  test('fails without it', async () => {
    const model = modelThat(async () => ({ kind: 'failed', message: `bad key ${encodeURIComponent(KEY)}` }));
    expect(await model.generate(request, { signal })).toEqual({ kind: 'failed', message: 'bad key [secret]' });
  });
});

describe('a tool that repeats a key', () => {
  const key = { conversationId: 'c', runId: 'r', callId: 'k', attempt: 1 };
  const tools = (answer: ExecuteAnswer, fenced?: FenceOutcome) =>
    toolsWithoutSecrets({ execute: async () => answer, fence: async () => fenced } as unknown as ToolPort, secrets);
  const sampling = { systemPrompt: KEY, messages: [{ byModel: false, text: KEY }], maxTokens: 1 };
  const asking = {
    kind: 'asking',
    questions: [
      { id: 'q', message: KEY, schemaJson: JSON.stringify({ d: KEY }), url: `https://a/?${KEY}`, waitMs: 1, sampling },
    ],
  } as unknown as ExecuteAnswer;

  test.each<[string, ExecuteAnswer]>([
    ['its result', { kind: 'finished', content: `{"env":"${KEY}"}`, isError: false, durationMs: 1 }],
    [
      'the address of an image',
      {
        kind: 'finished',
        content: '',
        isError: false,
        durationMs: 1,
        blobs: [{ digest: 'd', mediaType: 'image/png', size: 1, name: `https://a/?key=${KEY}` }],
      },
    ],
    ['its error', { kind: 'finished', content: `failed with ${KEY}`, isError: true, durationMs: 1 }],
    ['why it did not run', { kind: 'not_run', message: KEY }],
    ['what is not known', { kind: 'unknown', message: KEY }],
    ['why it was not let run', { kind: 'not_allowed', message: KEY }],
    ['what it asks', asking],
  ])('%s is told without it, at once and when it is asked for later', async (_, answer) => {
    const later: FenceOutcome =
      answer.kind === 'asking'
        ? { kind: 'running', questions: answer.questions, lapsed: [] }
        : { kind: 'outcome', outcome: answer };
    const port = tools(answer, later);
    const told = [await port.execute({} as never, 1), await port.fence(key, 'b')];
    for (const one of told) {
      expect(JSON.stringify(one)).toContain('[secret]');
      expect(JSON.stringify(one)).not.toContain('0123');
    }
  });
});
