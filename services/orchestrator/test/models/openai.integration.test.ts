import { describe, expect, test } from 'vitest';
import { ask, KEYS, NEVER, recorded, resultsFor, startFixture } from './fixture.ts';
import { modelContract } from './models.contract.ts';
import { generateFrom, generateFromAll, sse } from './raw-server.ts';

type Tools = { tools: { function: { name: string; parameters: unknown } }[] };

describe.each([
  ['openai', 'gpt-5', KEYS.openai],
  ['mistral', 'mistral-large-latest', KEYS.mistral],
  ['groq', 'openai/gpt-oss-120b', KEYS.groq],
  ['openrouter', 'deepseek/deepseek-r1:free', KEYS.openrouter],
  ['ollama', 'qwen3:8b', 'no-key-needed'],
])('%s', (provider, model, key) => {
  modelContract({
    provider,
    model: `${provider}:${model}`,
    modelAnswered: model,
    errorPrefix: `${provider} API error`,
    statusShown: true,
    urlVariable: `${provider.toUpperCase()}_BASE_URL`,
    keyHeader: 'authorization',
    key: `Bearer ${key}`,
    usageSent: provider !== 'mistral',
    // Older names and newer ones: each provider knows one of them for certain.
    tokensMaxOf: (body) => body[['openai', 'groq'].includes(provider) ? 'max_completion_tokens' : 'max_tokens'],
    toolsOf: (body) =>
      (body as Tools).tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
  });
});

const MODEL = 'openai:gpt-5';
const delta = (fields: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});
const call = (text: string) => ({
  tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'resources_list', arguments: text } }],
});
const stream = (...chunks: object[]) => `${chunks.map((chunk) => sse(chunk)).join('')}data: [DONE]\n\n`;

test.each<[string, object[], string]>([
  [
    'a refusal',
    [delta({ refusal: 'not ' }), delta({ refusal: 'this' }), delta({}, 'stop')],
    'the model refused to answer (not this)',
  ],
  [
    'an answer that a filter stopped',
    [delta({ content: 'I' }), delta({}, 'content_filter')],
    'the model stopped its answer (content_filter)',
  ],
  [
    'a call that was cut off where its arguments happen to be complete',
    [delta(call('{"pattern":"a"}')), delta({}, 'length')],
    'the answer was cut off in a tool call (length)',
  ],
  [
    'a call without a name',
    [delta({ tool_calls: [{ index: 0, id: 'c' }] }), delta({}, 'stop')],
    'a tool call has no name',
  ],
  [
    'no content',
    [delta({ role: 'assistant', content: null }), delta({}, 'stop')],
    'the model gave an empty answer (stop)',
  ],
  ['thoughts only', [delta({ reasoning: 'hm' }), delta({}, 'stop')], 'the model gave an empty answer (stop)'],
  ['nothing at all', [], 'the answer could not be read: it is not a stream of chat completions'],
  ['an error inside the stream', [delta({}), { error: `bad key ${KEYS.openai}` }], 'bad key [redacted]'],
])('%s is a failure with a clear message', async (_, chunks, message) => {
  expect(await generateFrom(stream(...chunks), MODEL, ask(MODEL, 'hi'))).toEqual({
    kind: 'failed',
    message: `openai API error: ${message}`,
    ...(message.includes('an empty answer') ? { isEmpty: true } : {}),
  });
});

test('silence that was cut off is a failure also where silence may be', async () => {
  const request = { ...ask(MODEL, 'hi'), mayBeSilent: true };
  const outcome = await generateFrom(stream(delta({ reasoning: 'hm' }), delta({}, 'length')), MODEL, request);
  expect(outcome).toEqual({ kind: 'failed', message: 'openai API error: the model gave an empty answer (length)' });
});

test.each<[string, object, string, number]>([
  ['a type that may pass', { type: 'server_error', message: 'try again' }, ' (500)', 2],
  ['a status', { code: 502, message: 'upstream' }, ' (502)', 2],
  ['a status as text', { code: '429', message: 'slow' }, ' (429)', 2],
  ['a type that will not pass', { type: 'invalid_request_error', code: 'x', message: 'no' }, '', 1],
])('an error inside the stream with %s', async (_, error, shown, times) => {
  const body = stream({ error });
  const good = stream(delta({ content: 'ok' }, 'stop'));
  const { outcome, requests } = await generateFromAll([body, good], MODEL, ask(MODEL, 'hi'));
  expect(requests).toHaveLength(times);
  if (times === 2) expect(outcome).toMatchObject({ answer: { text: 'ok' } });
  const { outcome: failed } = await generateFromAll([body, body, body], MODEL, ask(MODEL, 'hi'));
  const { message } = error as { message: string };
  expect(failed).toMatchObject({ kind: 'failed', message: `openai API error${shown}: ${message}` });
});

test('the exact text of the arguments is kept, an answer that was cut short is told as such, usage is found where it is', async () => {
  const exact = stream(
    delta({ content: null, ...call('{"n": 1234567890') }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '1234567890}' } }] }),
    { ...delta({}, 'tool_calls'), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 5 } } },
  );
  expect(await generateFrom(exact, 'groq:x', ask('groq:x', 'hi'))).toMatchObject({
    answer: { calls: [{ argumentsJson: '{"n": 12345678901234567890}' }], usage: { inputTokens: 3, outputTokens: 5 } },
  });
  const short = stream(delta({ content: 'Once' }), delta({}, 'length'), { choices: [], usage: null });
  const outcome = await generateFrom(short, MODEL, ask(MODEL, 'hi'));
  expect(outcome).toMatchObject({
    answer: { text: 'Once', stopReason: 'length', usage: { inputTokens: 0, outputTokens: 0 } },
  });
});

test('usage is asked for where that is understood, and OpenRouter is told who asks', async () => {
  const fixture = await startFixture();
  try {
    for (const name of ['openai:x', 'mistral:x', 'openrouter:x'])
      await fixture.models().forModel(name).generate(ask(name, 'hi'), { signal: NEVER });
    const [openai, mistral, openrouter] = await fixture.requests();
    expect(openai?.url).toBe('/v1/chat/completions');
    expect(openai?.body).toMatchObject({ model: 'x', stream: true, stream_options: { include_usage: true } });
    expect(Object.keys(mistral?.body ?? {}).sort()).toEqual(['messages', 'model', 'stream', 'tools']);
    expect(openrouter?.headers).toMatchObject({ 'http-referer': 'http://localhost', 'x-title': 'Stop and Go' });
    expect(openai?.headers['x-title']).toBeUndefined();
  } finally {
    await fixture.stop();
  }
});

const REASONED: [string, string, object[], object][] = [
  [
    'the details of OpenRouter, joined where they came in pieces',
    'openrouter:x',
    [
      { reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'a', signature: 's' }] },
      { reasoning: 'b', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'b' }] },
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: '', signature: null }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'x' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'y' }] },
    ],
    {
      content: null,
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'ab', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, data: 'x' },
        { type: 'reasoning.encrypted', index: 1, data: 'y' },
      ],
    },
  ],
  [
    "Mistral's thoughts in the content",
    'mistral:x',
    [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'th' }] }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'ink' }] }] },
      { content: [{ type: 'text', text: 'I ' }] },
      { content: 'look.' },
    ],
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'think' }] },
        { type: 'text', text: 'I look.' },
      ],
    },
  ],
  [
    'reasoning as text',
    'ollama:x',
    [{ reasoning: 'a' }, { reasoning: 'b', content: '' }],
    { content: null, reasoning: 'ab' },
  ],
  [
    'a signature in the call',
    'openai:x',
    [{ tool_calls: [{ index: 0, extra_content: { google: { thought_signature: 's' } } }] }],
    { content: null, tool_calls: [{ id: 'c1', extra_content: { google: { thought_signature: 's' } } }] },
  ],
];

test.each(REASONED)('%s goes back with its calls, and to nobody else', async (_, model, deltas, expected) => {
  const body = stream(
    ...deltas.slice(0, -1).map((fields) => delta(fields)),
    delta({}),
    delta(call('{"a": 1}')),
    ...[delta({ ...deltas.at(-1) }, 'tool_calls')],
  );
  const outcome = await generateFrom(body, model, ask(model, 'hi'));
  const answer = outcome.kind === 'answer' ? outcome.answer : undefined;
  if (!answer) throw new Error(JSON.stringify(outcome));
  const said = recorded(answer);
  const rest = [said, resultsFor(said, () => 'none')];
  const { requests } = await generateFromAll([], model, ask(model, 'hi', ...rest));
  const [, , assistant, result] = JSON.parse(requests[0] ?? '').messages;
  expect(assistant).toMatchObject({ role: 'assistant', ...expected });
  expect(assistant.tool_calls).toMatchObject([
    { type: 'function', function: { name: 'resources_list', arguments: '{"a": 1}' } },
  ]);
  expect(result).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'none' });
  for (const other of ['openai:y', `${model}-large`]) {
    const elsewhere = await generateFromAll([], other, ask(other, 'hi', ...rest));
    const [, , foreign] = JSON.parse(elsewhere.requests[0] ?? '').messages;
    expect(Object.keys(foreign).sort()).toEqual(['content', 'role', 'tool_calls']);
    expect(Object.keys(foreign.tool_calls[0]).sort()).toEqual(['function', 'id', 'type']);
    expect(JSON.stringify(foreign)).not.toContain('think');
  }
});

test('Groq gets none of the reasoning that came as text: some of its models refuse it', async () => {
  const body = stream(delta({ reasoning: 'think' }), delta(call('{}')), delta({}, 'tool_calls'));
  const outcome = await generateFrom(body, 'groq:x', ask('groq:x', 'hi'));
  expect(outcome).toMatchObject({ answer: { text: '', calls: [{ name: 'resources_list' }] } });
  expect(outcome.kind === 'answer' && outcome.answer.opaque).toBeUndefined();
});

test('only the first choice is the answer', async () => {
  const second = { choices: [{ index: 1, delta: { content: 'B' }, finish_reason: 'length' }] };
  const outcome = await generateFrom(stream(delta({ content: 'A' }, 'stop'), second), MODEL, ask(MODEL, 'hi'));
  expect(outcome).toMatchObject({ answer: { text: 'A', stopReason: 'stop' } });
});

test('calls of another provider, without an id or with the same one, get ids of nine letters and digits, always the same', async () => {
  const of = (provider: string, ...ids: string[]) => ({
    role: 'assistant' as const,
    text: '',
    calls: ids.map((providerCallId, index) => ({
      callId: `root#model.1#call.${index}`,
      providerCallId,
      name: 'resources_list',
      argumentsJson: '{}',
    })),
    provider,
  });
  const idsOf = async (message: ReturnType<typeof of>) => {
    const request = ask('mistral:x', 'hi', message, resultsFor(message, String));
    const [sent] = (await generateFromAll([], 'mistral:x', request)).requests;
    const [, , assistant, ...results] = JSON.parse(sent ?? '').messages;
    const ids = assistant.tool_calls.map(({ id }: { id: string }) => id);
    expect(results.map((result: { tool_call_id: string }) => result.tool_call_id)).toEqual(ids);
    return ids;
  };
  const derived = await idsOf(of('anthropic', 'toolu_1', 'toolu_2'));
  for (const id of derived) expect(id).toMatch(/^[a-z0-9]{9}$/);
  expect(new Set(derived).size).toBe(2);
  expect(await idsOf(of('mistral', '', ''))).toEqual(derived);
  expect(await idsOf(of('mistral', 'same', 'same'))).toEqual(derived);
  expect(await idsOf(of('mistral', 'own1', 'own2'))).toEqual(['own1', 'own2']);
});
