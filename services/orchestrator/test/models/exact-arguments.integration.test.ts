import { expect, test, vi } from 'vitest';
import { ask } from './fixture.ts';
import { generateFrom, sse } from './raw-server.ts';

// Each through the real SDK, which parses the provider's events: what JSON.parse does not keep must be seen all the same.
const twice = '{"path":"/tmp","path":"/"}';
const inexact = '{"id":9007199254740993,"rate":1e-400}';
const nested = '{ "a" : [ {"b":1, "b":2}, "}\\"" ], "é": 1.0 }';

/** An event of which some part is not what JSON.stringify would write. */
const raw = (event: object, text: string) => sse(event).replace('"ARGUMENTS"', () => text);
const inText = (text: string) => JSON.stringify(text);

const gemini = (...texts: string[]) => {
  const parts = texts.map(() => ({ functionCall: { name: 'resources_add', args: 'ARGUMENTS' } }));
  const events = parts.map((part, at) =>
    raw({ candidates: [{ content: { role: 'model', parts: [{ text: 'x"{' }, part] } }] }, texts[at] ?? ''),
  );
  return `${events.join('')}${sse({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] })}`;
};

const openai = (...texts: string[]) => {
  const calls = texts.map((text, index) =>
    raw(
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index, id: `c${index}`, function: { name: 'resources_add', arguments: 'ARGUMENTS' } }],
            },
          },
        ],
      },
      text,
    ),
  );
  return `${calls.join('')}${sse({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}data: [DONE]\n\n`;
};

const usage = { input_tokens: 1, output_tokens: 1 };
const claude = (input: string, deltas: readonly string[][], ...starts: string[]) => {
  const blocks = starts.map((start, index) =>
    [
      raw(
        {
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `t${index}`, name: 'resources_add', input: input },
        },
        start,
      ).replace(/^data: /, 'event: content_block_start\ndata: '),
      ...(deltas[index] ?? []).map((piece) =>
        sse(
          { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } },
          'content_block_delta',
        ),
      ),
      sse({ type: 'content_block_stop', index }, 'content_block_stop'),
    ].join(''),
  );
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage };
  return [
    sse({ type: 'message_start', message }, 'message_start'),
    ...blocks,
    sse({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage }, 'message_delta'),
    sse({ type: 'message_stop' }, 'message_stop'),
  ].join('');
};

const all = [twice, inexact, nested, '{}'];

test.each<[string, string, string]>([
  ['Gemini, which gives objects', 'gemini-3-pro', gemini(...all)],
  ['OpenAI, which gives texts', 'openai:gpt-5', openai(...all.map(inText))],
  ['a provider of the same kind that gives objects', 'ollama:qwen', openai(...all)],
  [
    'Claude, whose arguments come in pieces',
    'claude-opus-4-1',
    claude(
      'ARGUMENTS',
      all.map((text) => [text.slice(0, 5), text.slice(5)]),
      ...all.map(() => '{}'),
    ),
  ],
  ['Claude, if the arguments come whole', 'claude-opus-4-1', claude('ARGUMENTS', [], ...all)],
])('arguments are as the model wrote them: %s', async (_, model, body) => {
  const outcome = await generateFrom(body, model, ask(model, 'hi'));
  expect(outcome.kind === 'answer' ? outcome.answer.calls.map((call) => call.argumentsJson) : outcome).toEqual(all);
});

const broken = ['{"path":"/tmp"', '[1]', 'null', '"text"', 'path=/tmp'];

test.each<[string, string, string]>([
  ['OpenAI', 'openai:gpt-5', openai(...broken.map(inText))],
  [
    'Claude',
    'claude-opus-4-1',
    claude(
      'ARGUMENTS',
      broken.map((text) => [text]),
      ...broken.map(() => '{}'),
    ),
  ],
])(
  'arguments that are no JSON object are no failure: they are handed on, so that the call is refused: %s',
  async (_, model, body) => {
    const outcome = await generateFrom(body, model, ask(model, 'hi'));
    expect(outcome.kind === 'answer' ? outcome.answer.calls.map((call) => call.argumentsJson) : outcome).toEqual(
      broken,
    );
  },
);

const kept = { type: 'redacted_thinking', data: 'x' };

test.each<[string, string, string, string]>([
  [
    'OpenAI',
    'openai:gpt-5',
    openai(inText('{"path":"/tmp"')).replace('"function":', '"signature":"s","function":'),
    '"arguments":"{}"',
  ],
  [
    'Claude',
    'claude-opus-4-1',
    claude('ARGUMENTS', [['{"path":"/tmp"']], '{}').replace(
      'event: message_delta\n',
      (next) => sse({ type: 'content_block_start', index: 1, content_block: kept }, 'content_block_start') + next,
    ),
    '"input":{}',
  ],
])('of arguments that are no JSON object nothing goes back to the provider: %s', async (_, model, body, empty) => {
  const outcome = await generateFrom(body, model, ask(model, 'hi'));
  const opaque = outcome.kind === 'answer' ? Buffer.from(outcome.answer.opaque ?? []).toString() : outcome.message;
  expect(opaque).toContain(empty);
  expect(opaque).not.toContain('/tmp');
});

test.each<[string, string, string]>([
  ['Gemini', 'gemini-3-pro', gemini('{"a":1},"args":{"a":2}')],
  ['a provider that gives objects', 'ollama:qwen', openai('{"a":1},"arguments":{"a":2}')],
  ['Claude', 'claude-opus-4-1', claude('ARGUMENTS', [], '{"a":1},"input":{"a":2}')],
])('a call whose arguments stand twice is no answer: %s', async (_, model, body) =>
  expect(await generateFrom(body, model, ask(model, 'hi'))).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('the arguments of its calls could not be read as they were sent'),
  }),
);

test.each<[string, string, (...texts: string[]) => string]>([
  ['Gemini', 'gemini-3-pro', gemini],
  ['Claude', 'claude-opus-4-1', (...texts) => claude('ARGUMENTS', [], ...texts)],
])('the calls of a long answer are not searched for one by one: %s', async (_, model, bodyOf) => {
  const texts = Array.from({ length: 50 }, (_, at) => `{"a":${at}}`);
  const indexOf = vi.spyOn(Array.prototype, 'indexOf');
  const outcome = await generateFrom(bodyOf(...texts), model, ask(model, 'hi'));
  const searched = indexOf.mock.calls.filter(([item]) => typeof item === 'object' && item !== null && 'a' in item);
  indexOf.mockRestore();
  expect(outcome.kind === 'answer' ? outcome.answer.calls.map((call) => call.argumentsJson) : outcome).toEqual(texts);
  expect(searched).toEqual([]);
});
