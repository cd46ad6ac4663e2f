import Anthropic from '@anthropic-ai/sdk';
import { type Content, type FunctionDeclaration, GoogleGenAI } from '@google/genai';
import { startOfflineModel } from '@stopgo/offline-model';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The real SDKs are the judges of the wire format.

const ADD = {
  name: 'resources_add',
  description: 'Add a resource',
  schema: {
    type: 'object' as const,
    properties: { name: { type: 'string' }, value: { type: 'integer' } },
    required: ['name', 'value'],
  },
};
const LIST = { name: 'resources_list', description: 'List', schema: { type: 'object' as const, properties: {} } };

let model: Awaited<ReturnType<typeof startOfflineModel>>;
let gemini: GoogleGenAI;
let claude: Anthropic;
let openai: OpenAI;

beforeAll(async () => {
  model = await startOfflineModel({ strictSignatures: true });
  gemini = new GoogleGenAI({ apiKey: 'any', vertexai: false, httpOptions: { baseUrl: model.url } });
  claude = new Anthropic({ apiKey: 'any', baseURL: model.url, maxRetries: 0 });
  openai = new OpenAI({ apiKey: 'any', baseURL: `${model.url}/v1`, maxRetries: 0 });
});
afterAll(() => model.stop());

const functionDeclarations: FunctionDeclaration[] = [ADD, LIST].map(({ schema, ...tool }) => ({
  ...tool,
  parametersJsonSchema: schema,
}));
const tools = [ADD, LIST].map(({ schema, ...tool }) => ({ ...tool, input_schema: schema }));

describe('Gemini', () => {
  const ask = (contents: Content[]) =>
    gemini.models.generateContent({
      model: 'gemini-2.5-flash',
      contents,
      config: { tools: [{ functionDeclarations }] },
    });
  const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });

  test('several wishes in one message become several calls, whose results become the answer', async () => {
    const first = await ask([user('add a value 1, b value 2 and c value 3')]);
    expect(first.functionCalls?.map((call) => call.args)).toEqual([
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
      { name: 'c', value: 3 },
    ]);
    const said = first.candidates?.[0]?.content as Content;
    const responses = (first.functionCalls ?? []).map(({ id, name }, index) => ({
      functionResponse: {
        ...(id && name ? { id, name } : {}),
        response:
          index === 2
            ? { error: 'Operation cancelled by user.' }
            : { output: `{"id":"${index}","name":"n${index}","value":7}` },
      },
    }));
    const second = await ask([
      user('add a value 1, b value 2 and c value 3'),
      said,
      { role: 'user', parts: responses },
    ]);
    expect(second.text).toContain('added "n1" with value 7');
    expect(second.text).toContain('resources_add was not carried out: Operation cancelled by user.');
    expect(second.usageMetadata?.promptTokenCount).toBeGreaterThan(first.usageMetadata?.promptTokenCount ?? 0);
  });

  test('a stream brings the text in several chunks and ends with reason and usage', async () => {
    const chunks = [];
    for await (const chunk of await gemini.models.generateContentStream({
      model: 'gemini-2.5-flash',
      contents: 'hello',
    }))
      chunks.push(chunk);
    expect(chunks.filter((chunk) => chunk.text).length).toBeGreaterThan(1);
    expect(chunks.map((chunk) => chunk.text ?? '').join('')).toContain('I was given no tools');
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(chunks.at(-1)?.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
  });

  const call = { functionCall: { name: 'resources_list', args: {} } };
  const response = { functionResponse: { name: 'resources_list', response: { output: 'x' } } };
  const skip = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
  test.each<[string, Content[]]>([
    ['a call without a response', [user('x'), { role: 'model', parts: [skip] }]],
    ['a call followed by talk', [user('x'), { role: 'model', parts: [skip] }, user('y')]],
    [
      'fewer responses than calls',
      [user('x'), { role: 'model', parts: [skip, call] }, { role: 'user', parts: [response] }],
    ],
    ['a response without a call', [user('x'), { role: 'user', parts: [response] }]],
    [
      'a call that does not follow a user turn',
      [
        user('x'),
        { role: 'model', parts: [{ text: 'hm' }] },
        { role: 'model', parts: [skip] },
        { role: 'user', parts: [response] },
      ],
    ],
    ['no first user turn', [{ role: 'model', parts: [{ text: 'hi' }] }]],
    ['a part without data', [{ role: 'user', parts: [{}] }]],
    [
      'a call of this turn without its signature',
      [user('x'), { role: 'model', parts: [call] }, { role: 'user', parts: [response] }],
    ],
    [
      'a corrupt signature',
      [
        user('x'),
        { role: 'model', parts: [{ ...call, thoughtSignature: 'AAAA' }] },
        { role: 'user', parts: [response] },
      ],
    ],
  ])('refuses %s', async (_, contents) => {
    await expect(ask(contents)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('INVALID_ARGUMENT'),
    });
  });
});

describe('Anthropic', () => {
  type Messages = Anthropic.MessageParam[];
  const ask = (messages: Messages) => claude.messages.create({ model: 'claude-x', max_tokens: 100, messages, tools });

  test('several wishes in one message become several calls, whose results become the answer', async () => {
    const question = 'create a with value 1 and b with value 2';
    const first = await ask([{ role: 'user', content: question }]);
    const uses = first.content.filter((block) => block.type === 'tool_use');
    expect(uses.map((use) => use.input)).toEqual([
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ]);
    expect(first.stop_reason).toBe('tool_use');
    const results = uses.map((use, index) => ({
      type: 'tool_result' as const,
      tool_use_id: use.id,
      content: index === 1 ? 'disk full' : 'done',
      is_error: index === 1,
    }));
    const second = await ask([
      { role: 'user', content: question },
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ]);
    expect(second.content[0]).toMatchObject({
      text: 'resources_add returned: done\n\nresources_add was not carried out: disk full',
    });
  });

  test('the SDK puts a streamed answer together: text in several deltas, tool input from pieces of JSON', async () => {
    const stream = claude.messages.stream({
      model: 'claude-x',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    });
    let deltas = 0;
    stream.on('text', () => {
      deltas += 1;
    });
    expect(await stream.finalText()).toContain('I was given no tools');
    expect(deltas).toBeGreaterThan(1);
    const calls = await claude.messages
      .stream({ model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'make X with value 3' }], tools })
      .finalMessage();
    expect(calls.content).toMatchObject([{ type: 'tool_use', name: 'resources_add', input: { name: 'X', value: 3 } }]);
    expect(calls.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
  });

  const use = { type: 'tool_use' as const, id: 'toolu_1', name: 'resources_list', input: {} };
  const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'x' };
  const data = Buffer.from('89504e47', 'hex').toString('base64');
  const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data } };
  const words = (text: string) => ({ type: 'text' as const, text });
  const u = (content: Anthropic.UserMessageParam['content']) => ({ role: 'user' as const, content });
  const a = (content: Anthropic.AssistantMessageParam['content']) => ({ role: 'assistant' as const, content });
  test.each<[string, Messages]>([
    ['no messages', []],
    ['roles that do not alternate', [u('x'), u('y')]],
    ['an assistant who begins', [a('x')]],
    ['an empty text', [u('')]],
    ['a tool use at the end', [u('x'), a([use])]],
    ['a tool use without its result', [u('x'), a([use]), u('y')]],
    ['a result without a tool use', [u('x'), a('y'), u([result])]],
    ['one use answered twice', [u('x'), a([use]), u([result, result])]],
    ['an image in an error', [u('x'), a([use]), u([{ ...result, content: [image], is_error: true }])]],
    ['a tool use id used twice', [u('x'), a([use]), u([result]), a([use]), u([result])]],
    [
      'a call made after thinking without its thinking block',
      [u('x'), a([{ ...use, id: 'toolu_thought_1' }]), u([{ ...result, tool_use_id: 'toolu_thought_1' }])],
    ],
    [
      'a thinking block with a foreign signature',
      [u('x'), a([{ type: 'thinking', thinking: 'hm', signature: 'AAAA' }, use]), u([result])],
    ],
  ])('refuses %s', async (_, messages) => {
    await expect(ask(messages)).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  test('an image beside an error is shown, the text right after it says whose it is, and what follows is what the user says', async () => {
    const beside = [{ ...result, is_error: true }, image, words('from the tools')];
    const { content: shown } = await ask([u('x'), a([use]), u(beside)]);
    expect(shown).toMatchObject([{ text: expect.stringMatching(/was not carried out: x\n\nI was shown image\/png/) }]);
    const { content: asked } = await ask([u('x'), a([use]), u([...beside, words('list all resources')])]);
    expect(asked).toMatchObject([{ type: 'tool_use', name: 'resources_list' }]);
  });
});

describe('OpenAI', () => {
  type Messages = OpenAI.ChatCompletionMessageParam[];
  const functions: OpenAI.ChatCompletionTool[] = [ADD, LIST].map(({ schema, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters: schema },
  }));
  const ask = (messages: Messages) => openai.chat.completions.create({ model: 'x', messages, tools: functions });
  const user = (content: string) => ({ role: 'user' as const, content });

  test('several wishes in one message become several calls, whose results become the answer', async () => {
    const question = user('create a with value 1 and b with value 2');
    const { choices, usage } = await ask([{ role: 'system', content: 'Be kind.' }, question]);
    const [choice] = choices;
    if (!choice?.message.tool_calls) throw new Error('no calls');
    expect(choice.finish_reason).toBe('tool_calls');
    expect(usage?.prompt_tokens).toBeGreaterThan(10);
    const { message } = choice;
    const calls = choice.message.tool_calls;
    expect(calls.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual([
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ]);
    const results = calls.map(({ id }, index) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: ['done', 'Error: disk full'][index] ?? '',
    }));
    const second = await ask([question, message, ...results]);
    expect(second.choices[0]?.message.content).toBe(
      'resources_add returned: done\n\nresources_add was not carried out: disk full',
    );
  });

  test('the SDK puts a streamed answer together, with the usage only where it is asked for', async () => {
    const stream = openai.chat.completions.stream({ model: 'x', messages: [user('hi')] });
    let deltas = 0;
    stream.on('content', () => {
      deltas += 1;
    });
    expect(await stream.finalContent()).toContain('I was given no tools');
    expect(deltas).toBeGreaterThan(1);
    expect(await stream.totalUsage()).toMatchObject({ total_tokens: 0 });
    const calls = openai.chat.completions.stream({
      model: 'x',
      messages: [user('make X with value 3 and Y with value 4')],
      tools: functions,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await calls.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { function: { arguments: '{"name":"X","value":3}' } },
          { function: { arguments: '{"name":"Y","value":4}' } },
        ],
      },
    });
    expect(usage?.completion_tokens).toBeGreaterThan(5);
  });

  const call = (id: string, text = '{}') => ({
    id,
    type: 'function' as const,
    function: { name: 'resources_list', arguments: text },
  });
  const asks = (...calls: ReturnType<typeof call>[]) => ({ role: 'assistant' as const, tool_calls: calls });
  const result = (id: string) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' });
  const says = { role: 'assistant' as const, content: 'y' };
  test.each<[string, Messages]>([
    ['no messages', []],
    ['an empty text', [user('')]],
    ['an assistant with nothing to say', [user('x'), { role: 'assistant', content: '' }, user('y')]],
    ['two users in a row', [user('x'), user('y')]],
    ['an assistant at the end', [user('x'), says]],
    ['a call at the end', [user('x'), asks(call('1'))]],
    ['a call without its result', [user('x'), asks(call('1'), call('2')), result('1'), says, user('y')]],
    ['a result without a call', [user('x'), says, result('1')]],
    ['one call answered twice', [user('x'), asks(call('1')), result('1'), result('1')]],
    ['two calls with one id', [user('x'), asks(call('1'), call('1')), result('1')]],
    ['a user right after results', [user('x'), asks(call('1')), result('1'), user('y')]],
    ['arguments that are no object', [user('x'), asks(call('1', '[]')), result('1')]],
    ['a call without an id', [user('x'), asks(call('')), result('')]],
    ['calls made after reasoning without it', [user('x'), asks(call('call_thought_1')), result('call_thought_1')]],
  ])('refuses %s', async (_, messages) => {
    await expect(ask(messages)).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  test('refuses tools that a provider would refuse', async () => {
    const [first] = functions;
    for (const tools of [[], [first, first]] as OpenAI.ChatCompletionTool[][])
      await expect(openai.chat.completions.create({ model: 'x', messages: [user('x')], tools })).rejects.toMatchObject({
        status: 400,
      });
  });
});

test("a missing key, an unknown route and malformed JSON are refused in the provider's own shape", async () => {
  const post = (path: string, headers: Record<string, string>, body = '{}') =>
    fetch(model.url + path, { method: 'POST', headers, body }).then(async (answer) => [
      answer.status,
      await answer.json(),
    ]);
  const generate = '/v1beta/models/gemini-2.5-flash:generateContent';
  expect(await post(generate, {})).toMatchObject([403, { error: { code: 403, status: 'PERMISSION_DENIED' } }]);
  expect(await post(`${generate}?key=k`, {}, '{')).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
  expect(await post('/v1/messages', {})).toMatchObject([
    401,
    { type: 'error', error: { type: 'authentication_error' } },
  ]);
  expect(await post('/v1/messages', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }, '{')).toMatchObject([
    400,
    { type: 'error', error: { type: 'invalid_request_error' } },
  ]);
  expect(await post('/v1/chat/completions', {})).toMatchObject([401, { error: { type: 'authentication_error' } }]);
  expect(await post('/openai/v1/chat/completions', { authorization: 'Bearer k' }, '{')).toMatchObject([
    400,
    { error: { type: 'invalid_request_error' } },
  ]);
  expect(await post('/v1/nothing', {})).toMatchObject([404, {}]);
  const plainStream = await post(
    `/v1beta/models/m:streamGenerateContent?key=k`,
    {},
    '{"contents":[{"parts":[{"text":"hi"}]}]}',
  );
  expect(plainStream, 'without alt=sse the stream is one JSON array').toMatchObject([200, expect.any(Array)]);
  expect((await fetch(`${model.url}/health`)).status).toBe(200);
  expect((await fetch(`${model.url}/__requests`)).status, 'no control endpoint without the option').toBe(404);
});

test('every wire carries the instructions', async () => {
  const instructions = 'You look after resources.\nTask: list all resources';
  const byGemini = await gemini.models.generateContent({
    model: 'gemini-2.5-flash',
    contents: 'hello',
    config: { systemInstruction: instructions, tools: [{ functionDeclarations }] },
  });
  expect(byGemini.functionCalls?.map(({ name }) => name)).toEqual([LIST.name]);
  const byClaude = await claude.messages.create({
    model: 'claude-sonnet-5-5',
    max_tokens: 100,
    system: instructions,
    messages: [{ role: 'user', content: 'hello' }],
    tools,
  });
  expect(byClaude.content).toMatchObject([{ type: 'tool_use', name: LIST.name }]);
  const byOpenai = await openai.chat.completions.create({
    model: 'gpt-5',
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: 'hello' },
    ],
    tools: [{ type: 'function', function: { name: LIST.name, parameters: LIST.schema } }],
  });
  expect(byOpenai.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: LIST.name } }]);
});
