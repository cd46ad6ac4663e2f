import { expect, test } from 'vitest';
import { answerTokensMax } from '../../src/models/anthropic.ts';
import { ANTHROPIC_KEY, ask } from './fixture.ts';
import { modelContract } from './models.contract.ts';
import { generateFrom, sse } from './raw-server.ts';

modelContract({
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  errorPrefix: 'Claude API error',
  urlVariable: 'ANTHROPIC_BASE_URL',
  keyHeader: 'x-api-key',
  key: ANTHROPIC_KEY,
  // The API insists on a limit.
  tokensMaxOf: ({ max_tokens }) => (max_tokens === answerTokensMax ? undefined : max_tokens),
  toolsOf: (body) =>
    (body as { tools: { name: string; input_schema: unknown }[] }).tools.map((tool) => ({
      name: tool.name,
      schema: tool.input_schema,
    })),
});

const start = { type: 'message_start', message: { content: [], usage: { input_tokens: 3, output_tokens: 1 } } };
const toolUse = {
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'tool_use', id: 't1', name: 'resources_list', input: {} },
};
const json = (partial_json: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'input_json_delta', partial_json },
});
const end = (stop_reason: string, explanation?: string) => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_details: explanation ? { explanation } : null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
];
const stream = (...events: { type: string }[]) => events.map((event) => sse(event, event.type)).join('');
const MODEL = 'claude-sonnet-5-5';

test.each<[string, { type: string }[], string]>([
  ['a refusal', [start, ...end('refusal', 'not this')], 'the model refused to answer (not this)'],
  [
    'a call that was cut off where its arguments happen to be complete',
    [start, toolUse, json('{"pattern":"a"}'), ...end('max_tokens')],
    'the answer was cut off in a tool call (max_tokens)',
  ],
  ['no content', [start, ...end('end_turn')], 'the model gave an empty answer (end_turn)'],
])('%s is a failure with a clear message', async (_, events, message) => {
  expect(await generateFrom(stream(...events), MODEL, ask(MODEL, 'hi'))).toEqual({
    kind: 'failed',
    message: `Claude API error: ${message}`,
    ...(message.includes('an empty answer') ? { isEmpty: true } : {}),
  });
});

test('silence that was cut off is a failure also where silence may be', async () => {
  const outcome = await generateFrom(stream(start, ...end('max_tokens')), MODEL, {
    ...ask(MODEL, 'hi'),
    mayBeSilent: true,
  });
  expect(outcome).toEqual({ kind: 'failed', message: 'Claude API error: the model gave an empty answer (max_tokens)' });
});

test('an error inside the stream is told', async () => {
  const error = { type: 'error', error: { type: 'invalid_request_error', message: `bad x-api-key: ${ANTHROPIC_KEY}` } };
  const told = await generateFrom(stream(start, error), MODEL, ask(MODEL, 'hi'));
  expect(told).toEqual({ kind: 'failed', message: 'Claude API error: bad x-api-key: [redacted]' });
});

test('the exact text of the arguments is kept', async () => {
  const body = stream(start, toolUse, json('{"n": 12345678901234567890}'), ...end('tool_use'));
  const outcome = await generateFrom(body, MODEL, ask(MODEL, 'hi'));
  expect(outcome).toMatchObject({
    answer: { calls: [{ argumentsJson: '{"n": 12345678901234567890}' }], usage: { inputTokens: 3, outputTokens: 5 } },
  });
});
