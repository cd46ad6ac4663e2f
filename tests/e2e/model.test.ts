import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, client, until } from './http.ts';
import { anthropicKey, geminiKey, type ModelRequest, type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';
import { follow } from './sse.ts';

/** What a model is asked, and what becomes of a conversation when the model fails, through the providers' own SDKs. */

/** Limit of a model call, in milliseconds; what hangs is given up after it. */
const modelMs = 2_500;
const callsMax = 3;

/** One piece of a history, in words that both providers have. */
type Piece = readonly [role: string, kind: 'text' | 'call' | 'result' | 'signed', what: unknown];

type Provider = {
  readonly name: string;
  readonly model: string;
  readonly modelOf: (request: ModelRequest) => unknown;
  readonly keyOf: (request: ModelRequest) => unknown;
  readonly key: string;
  readonly system: (request: ModelRequest) => string;
  readonly tools: (request: ModelRequest) => readonly { name: string; schema: unknown }[];
  readonly pieces: (request: ModelRequest) => readonly Piece[];
};

/** By this value a client asks Gemini not to look for a signature. */
const standInSignature = 'skip_thought_signature_validator';

type Dict = Readonly<Record<string, unknown>>;
const dicts = (value: unknown): readonly Dict[] => value as readonly Dict[];

const gemini: Provider = {
  name: 'Gemini',
  model: 'gemini-2.5-pro',
  modelOf: ({ url }) => /models\/([^:]+):/.exec(url)?.[1],
  keyOf: ({ headers }) => headers['x-goog-api-key'],
  key: geminiKey,
  system: ({ body }) => JSON.stringify((body as Dict).systemInstruction),
  tools: ({ body }) =>
    dicts((body as Dict).tools)
      .flatMap((group) => dicts(group.functionDeclarations))
      .map((tool) => ({ name: String(tool.name), schema: tool.parametersJsonSchema ?? tool.parameters })),
  pieces: ({ body }) =>
    dicts((body as Dict).contents).flatMap(({ role, parts }) =>
      dicts(parts).flatMap((part): Piece[] => {
        // What stands in for a signature that was lost is none.
        const isSigned = part.thoughtSignature !== undefined && part.thoughtSignature !== standInSignature;
        const signed: Piece[] = isSigned ? [[String(role), 'signed', true]] : [];
        const call = part.functionCall as Dict | undefined;
        const result = part.functionResponse as Dict | undefined;
        if (call !== undefined) return [...signed, [String(role), 'call', [call.name, call.args]]];
        if (result !== undefined) return [[String(role), 'result', result.name]];
        return [...signed, [String(role), 'text', part.text]];
      }),
    ),
};

const claude: Provider = {
  name: 'Claude',
  model: 'claude-sonnet-4-5',
  modelOf: ({ body }) => (body as Dict).model,
  keyOf: ({ headers }) => headers['x-api-key'],
  key: anthropicKey,
  system: ({ body }) => JSON.stringify((body as Dict).system),
  tools: ({ body }) =>
    dicts((body as Dict).tools).map((tool) => ({ name: String(tool.name), schema: tool.input_schema })),
  pieces: ({ body }) => {
    const names = new Map<unknown, unknown>();
    return dicts((body as Dict).messages).flatMap(({ role, content }) => {
      const spoken = role === 'assistant' ? 'model' : 'user';
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : dicts(content);
      return blocks.map((block: Dict): Piece => {
        switch (block.type) {
          case 'thinking':
            return [spoken, 'signed', typeof block.signature === 'string' && block.signature !== ''];
          case 'tool_use':
            names.set(block.id, block.name);
            return [spoken, 'call', [block.name, block.input]];
          case 'tool_result':
            return [spoken, 'result', names.get(block.tool_use_id)];
          default:
            return [spoken, 'text', block.text];
        }
      });
    });
  },
};

describe.each([gemini, claude])('$name', (provider) => {
  let model: ScriptedModel;
  let place: Workplace;
  let platform: Platform;
  let http: Client;
  const startAgain = async (): Promise<void> => {
    const yaml = resourcesConfig(
      place,
      `llm: {model: ${provider.model}, timeout: ${modelMs}ms}\nmax_turns: ${callsMax}\n`,
    );
    platform = await start(place, yaml, { env: model.env });
    http = client(platform.url);
  };

  beforeAll(async () => {
    model = await scriptedModel({ strictSignatures: true });
    place = workplace();
    await startAgain();
  });

  afterAll(async () => {
    await platform.discard();
    await model.stop();
    place.remove();
  });

  /** The requests whose history holds this text. */
  const about = async (text: string): Promise<readonly ModelRequest[]> =>
    (await model.requests()).filter((request) => JSON.stringify(request.body).includes(text));

  test('it is asked by name, with its key, the prompt, the whole history and the schemas of the tools', async () => {
    const { body } = await http.post('/conversations', { message: 'list resources like first-words' });
    await http.post(`/conversations/${body.conversation.id}/messages`, { message: 'good day to you' });
    const [first, second, third] = await about('first-words');
    expect(first && provider.modelOf(first)).toBe(provider.model);
    expect(first && provider.keyOf(first)).toBe(provider.key);
    expect(first && provider.system(first)).toContain('You look after resources.');
    const add = first && provider.tools(first).find((tool) => tool.name === 'resources_add');
    expect(JSON.stringify(add?.schema)).toMatch(/"name".*"value"/);
    const asked = ['user', 'text', 'list resources like first-words'];
    const called = ['model', 'call', ['resources_list', { pattern: 'first-words' }]];
    const unsigned = (request: ModelRequest | undefined): readonly Piece[] =>
      request === undefined ? [] : provider.pieces(request).filter(([, kind]) => kind !== 'signed');
    expect(unsigned(first)).toEqual([asked]);
    expect(unsigned(second)).toEqual([asked, called, ['user', 'result', 'resources_list']]);
    expect(unsigned(third)).toEqual([
      asked,
      called,
      ['user', 'result', 'resources_list'],
      ['model', 'text', body.result.response],
      ['user', 'text', 'good day to you'],
    ]);
  });

  test('what it signed comes back to it after an approval, also across a restart', async () => {
    const signed = async (text: string, between: () => Promise<void>): Promise<void> => {
      const args = { name: text, value: 1 };
      await model.script({ match: text, thinking: 'I should add it.', calls: [{ name: 'resources_add', args }] });
      const { body } = await http.post('/conversations', { message: `please ${text}` });
      expect(body.result.waiting_approval).toBe(true);
      await between();
      const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
      expect(done.body.result.response).toContain(`added "${text}"`);
      const last = (await about(text)).at(-1);
      expect(last && provider.pieces(last)).toContainEqual(['model', 'signed', true]);
    };
    await signed('signed-at-once', async () => undefined);
    await signed('signed-after-a-restart', async () => {
      await platform.discard();
      await startAgain();
    });
  });

  test.each([
    [
      'server errors, after retries',
      Array(3).fill({ error: { status: 500, message: 'out of order' } }),
      /out of order/,
    ],
    ['a refused request', [{ error: { status: 400, message: 'not like this' } }], /not like this/],
    ['an answer that is none', [{ garbage: true }], /./],
    ['half an answer', [{ text: 'This sentence is cut in its middle.', truncateStream: true }], /ended in the middle/],
    ['silence', [{ hang: true }], /timed out/],
  ] as const)('after %s the conversation holds the error and goes on', async (what, steps, said) => {
    const match = `fail by ${what}`;
    await model.script(...steps.map((step) => ({ ...step, match })));
    const { status, body } = await http.post('/conversations', { message: match });
    expect(status).toBe(201);
    expect(body.result.response).toMatch(/^LLM error: /);
    expect(body.error).toBe(body.result.response);
    expect(body.result.response).toMatch(said);
    expect(body.conversation.run?.status).toBe('failed');
    expect(body.conversation.messages.at(-1)).toMatchObject({ role: 'assistant', content: body.result.response });
    const next = await http.post(`/conversations/${body.conversation.id}/messages`, { message: 'list all resources' });
    expect(next.status).toBe(200);
    expect(next.body.result.response).toMatch(/^resources_list: /);
    expect(next.body.conversation.run?.status).toBe('completed');
  });

  test('when it fails after an approved call has run, the answer names the call and its result', async () => {
    const { body } = await http.post('/conversations', { message: 'create a server paid-for with value 9' });
    await model.script({ match: 'paid-for', error: { status: 400, message: 'no more words' } });
    const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(done.status).toBe(200);
    expect(done.body.result.response).toMatch(/^LLM error: .*no more words/);
    expect(done.body.result.response).toContain('resources_add: {');
    expect(done.body.result.response).toContain('"name": "paid-for"');
  });

  test('a tool that does not exist is told to it, and it goes on', async () => {
    await model.script(
      { match: 'conjure', calls: [{ name: 'resources_conjure', args: {} }] },
      { match: 'conjure', text: 'I cannot.' },
    );
    const { body } = await http.post('/conversations', { message: 'conjure' });
    expect(body.result.response).toBe('I cannot.');
    const result = body.conversation.messages.find((message) => message.role === 'tool')?.tool_call;
    expect(result).toMatchObject({ result: 'Tool not found: resources_conjure', is_error: true });
  });

  test('it is asked no more often than the cap for one message', async () => {
    const step = { match: 'on and on', calls: [{ name: 'resources_list', args: {} }] };
    await model.script(...Array(callsMax + 2).fill(step));
    const { body } = await http.post('/conversations', { message: 'on and on' });
    expect(body.result.response).toBe('Maximum tool call iterations reached.');
    expect(await about('on and on')).toHaveLength(callsMax);
  });

  test('its words are seen while it still speaks', async () => {
    const created = await http.post('/conversations', {});
    const { id } = created.body.conversation;
    const events = await follow(platform.url, id);
    const text = 'Once upon a time there was a platform that told what it was thinking.';
    await model.script({ match: 'tell a story', text, stallStream: true });
    const asked = http.post(`/conversations/${id}/messages`, { message: 'tell a story' });
    const delta = await events.next('a delta', ({ type }) => type === 'delta');
    expect(text.startsWith(String(delta.data.text))).toBe(true);
    expect(events.events.some(({ type }) => type === 'model_responded')).toBe(false);
    await model.release();
    expect((await asked).body.result.response).toBe(text);
    await events.next('the answer', ({ type }) => type === 'model_responded');
    await until('all of it', async () => {
      const told = events.events.filter(({ type }) => type === 'delta').map(({ data }) => String(data.text));
      return told.join('') === text ? true : undefined;
    });
    events.close();
  });
});
