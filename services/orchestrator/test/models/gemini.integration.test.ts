import { expect, test } from 'vitest';
import { ask, GEMINI_KEY, resultsFor } from './fixture.ts';
import { modelContract } from './models.contract.ts';
import { generateFrom, generateFromAll, sse } from './raw-server.ts';

modelContract({
  provider: 'gemini',
  model: 'gemini-2.5-flash',
  errorPrefix: 'Gemini API error',
  urlVariable: 'GEMINI_BASE_URL',
  keyHeader: 'x-goog-api-key',
  key: GEMINI_KEY,
  tokensMaxOf: (body) =>
    (body as { generationConfig?: { maxOutputTokens?: number } }).generationConfig?.maxOutputTokens,
  toolsOf: (body) =>
    (body as { tools: { functionDeclarations: { name: string; parametersJsonSchema: unknown }[] }[] }).tools
      .flatMap((group) => group.functionDeclarations)
      .map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })),
});

const candidate = (finishReason: string | undefined, ...parts: object[]) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
});
const call = { functionCall: { name: 'resources_list', args: {} } };

test.each<[string, object[], string]>([
  ['nothing at all', [], 'no candidates in response'],
  ['no candidates', [{ usageMetadata: { promptTokenCount: 1 } }], 'no candidates in response'],
  ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }], 'the prompt was blocked (SAFETY)'],
  [
    'a stopped answer',
    [candidate(undefined, { text: 'I' }), candidate('SAFETY')],
    'the model stopped its answer (SAFETY)',
  ],
  ['a call that was cut off', [candidate('MAX_TOKENS', call)], 'the answer was cut off in a tool call (MAX_TOKENS)'],
  ['thoughts only', [candidate('STOP', { text: 'hm', thought: true })], 'the model gave an empty answer (STOP)'],
])('%s is a failure with a clear message', async (_, chunks, message) => {
  const body = chunks.map((chunk) => sse(chunk)).join('');
  expect(await generateFrom(body, 'gemini-2.5-flash', ask('gemini-2.5-flash', 'hi'))).toEqual({
    kind: 'failed',
    message: `Gemini API error: ${message}`,
    ...(message.includes('an empty answer') ? { isEmpty: true } : {}),
  });
});

test('silence that was cut off is a failure also where silence may be', async () => {
  const request = { ...ask('gemini-2.5-flash', 'hi'), mayBeSilent: true };
  const outcome = await generateFrom(sse(candidate('MAX_TOKENS')), 'gemini-2.5-flash', request);
  expect(outcome).toEqual({ kind: 'failed', message: 'Gemini API error: the model gave an empty answer (MAX_TOKENS)' });
});

test('a signature that came with an empty text is kept, and a call without an id has none', async () => {
  const body = sse(candidate('STOP', { text: 'a' }, { text: 'b' }, { text: '', thoughtSignature: 'c2ln' }, call));
  const outcome = await generateFrom(body, 'gemini-3-pro', ask('gemini-3-pro', 'hi'));
  expect(outcome).toMatchObject({ answer: { text: 'ab', calls: [{ providerCallId: '', name: 'resources_list' }] } });
  const opaque = outcome.kind === 'answer' && outcome.answer.opaque;
  expect(JSON.parse(Buffer.from(opaque || '').toString())).toEqual({
    origin: 'live',
    content: [{ text: 'ab' }, { text: '', thoughtSignature: 'c2ln' }, call],
  });
});

test('an answer in instalments is put together; a stream that breaks off is not continued behind our back', async () => {
  const piece = (text: string, finishReason?: string) =>
    sse({
      candidates: [
        { content: { parts: [{ text }] }, ...(finishReason ? { finishReason } : {}), continuationToken: 'dG9r' },
      ],
      usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3 },
    });
  const model = 'gemini-2.5-pro';
  const whole = await generateFromAll([piece('one ', 'CONTINUATION'), piece('two', 'STOP')], model, ask(model, 'hi'));
  expect(whole.outcome).toMatchObject({ answer: { text: 'one two', usage: { inputTokens: 4, outputTokens: 6 } } });
  expect(whole.requests.map((request) => request.includes('dG9r'))).toEqual([false, true]);
  const broken = await generateFromAll([piece('one '), piece('two', 'STOP')], model, ask(model, 'hi'));
  expect(broken.outcome).toMatchObject({ kind: 'failed' });
  expect(broken.requests).toHaveLength(1);
});

test.each([
  ['gemini-2.5-flash', false],
  ['gemini-3-pro-preview', true],
  ['gemini-flash-latest', true],
])('%s is asked not to look for the signature of a foreign call: %s', async (model, asked) => {
  const message = {
    role: 'assistant' as const,
    text: '',
    calls: [{ callId: 'c', providerCallId: 'toolu_1', name: 'resources_list', argumentsJson: '{}' }],
    provider: 'anthropic',
  };
  const { requests } = await generateFromAll(
    [],
    model,
    ask(
      model,
      'hi',
      message,
      resultsFor(message, () => 'none'),
    ),
  );
  expect(requests[0]?.includes('skip_thought_signature_validator')).toBe(asked);
  expect(requests[0]).not.toContain('toolu_1');
});
