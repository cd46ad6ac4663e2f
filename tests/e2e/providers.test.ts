import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { anthropicKey, geminiKey, type ModelRequest, openaiKeys } from './model.ts';
import { filesOf, spellings } from './spellings.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Models of every provider, through the SDK of each: in one tree, and one after the other in one conversation. */
let tree: PlantedTree;

afterEach(() => tree.end());

type Provider = {
  readonly model: string;
  /** Where its requests arrive, and what they are sent as the model's name and with which key. */
  readonly path: RegExp;
  readonly named: string;
  readonly key?: string;
};

const compatible = (provider: string, named: string, key?: string): Provider => ({
  model: `${provider}:${named}`,
  path: new RegExp(`^/${provider}/v1/chat/completions$`),
  named,
  ...(key === undefined ? {} : { key }),
});

const providers: readonly Provider[] = [
  { model: 'google:gemini-2.5-pro', path: /^\/v1beta\/models\/gemini-2\.5-pro:/, named: '', key: geminiKey },
  { model: 'anthropic:claude-sonnet-4-5', path: /^\/v1\/messages/, named: 'claude-sonnet-4-5', key: anthropicKey },
  compatible('openai', 'gpt-5', openaiKeys.openai),
  compatible('mistral', 'mistral-large-latest', openaiKeys.mistral),
  compatible('groq', 'openai/gpt-oss-120b', openaiKeys.groq),
  compatible('openrouter', 'deepseek/deepseek-r1:free', openaiKeys.openrouter),
  compatible('ollama', 'qwen3:8b'),
];
const keys = providers.flatMap(({ key }) => key ?? []);

const promptOf = (index: number): string => `You are number ${index}.`;

test('each model of a mixed tree is asked as often as it has something to do, under its name, with its key and no other', async () => {
  const agents = providers.map(({ model }, index) => ({ name: `n${index}`, model, prompt: promptOf(index) }));
  tree = await plant({ type: 'parallel', agents });
  const { body } = await tree.ask('call look {"name":"about"}');
  expect(body.result.response).toBe(providers.map(() => 'look returned: look about').join('\n'));
  expect(await tree.model.requests()).toHaveLength(2 * providers.length);
  for (const [index, { path, named, key, model }] of providers.entries()) {
    const asked = await tree.asked(promptOf(index));
    expect(asked, model).toHaveLength(2);
    for (const { url, headers, body: sent } of asked) {
      expect(url).toMatch(path);
      if (named !== '') expect(sent).toMatchObject({ model: named });
      const said = JSON.stringify([url, headers, sent]);
      expect(keys.filter((one) => said.includes(one))).toEqual(key === undefined ? [] : [key]);
    }
  }
  expect(tree.journal.began('look', 'about')).toBe(providers.length);
});

test('a branch asks for an approval with every provider, and each goes on with what its call came to', async () => {
  const agents = providers.map(({ model }, index) => ({ name: `n${index}`, model, prompt: promptOf(index) }));
  tree = await plant({ type: 'parallel', approval: 'require', agents }, { asProcess: true });
  await tree.model.script(
    ...providers.map((_, index) => ({
      prompt: promptOf(index),
      thinking: 'It has to go.',
      calls: [{ name: 'erase', args: { name: `by-${index}` } }],
    })),
  );
  const { body } = await tree.ask('erase them');
  expect(body.conversation.pending_approvals).toHaveLength(providers.length);
  await tree.again('SIGKILL');
  const answers = await Promise.all(body.conversation.pending_approvals.map(({ uuid }) => tree.decide(uuid, true)));
  expect(answers.map(({ status }) => status)).toEqual(providers.map(() => 200));
  const last = answers.find((answer) => !answer.body.result.waiting_approval);
  expect(last?.body.result.response).toBe(providers.map((_, index) => `erase returned: erase by-${index}`).join('\n'));
  for (const index of providers.keys()) expect(tree.journal.began('erase', `by-${index}`)).toBe(1);
});

test('no key is in a log line, a file, an answer or an event, though each provider repeats what it was sent', async () => {
  const agents = providers.map(({ model }, index) => ({ name: `n${index}`, model, prompt: promptOf(index) }));
  tree = await plant({ type: 'parallel', on_error: 'continue', agents }, { more: 'log_level: debug' });
  const about = (match: string, index: number) => ({ match, prompt: promptOf(index) });
  await tree.model.script(
    ...providers.map((_, index) => ({ ...about('quote me', index), quoteRequest: true as const })),
    ...providers.map(({ key = 'nobody' }, index) => {
      return { ...about('know me', index), error: { status: 400, message: `who is ${key}, please?` } };
    }),
  );
  const quoted = await tree.ask('quote me');
  const named = await tree.ask('know me');
  // The requests, and keys with nothing before them, were repeated: what the platform shows of that is what has to be clean.
  for (const { body } of [quoted, named])
    expect(body.result.response.match(/API error/g)).toHaveLength(providers.length);
  expect(named.body.result.response.match(/who is \[redacted\], please/g)).toHaveLength(keys.length);
  await tree.platform.end('SIGTERM');
  const said = new Map([
    ['the answers', quoted.text + named.text],
    ['the outputs', tree.platform.output()],
  ]);
  for (const file of filesOf(tree.place.dataDir)) said.set(file, readFileSync(file).toString('latin1'));
  const found = [...said].flatMap(([where, what]) =>
    keys.filter((key) => spellings(key).some((spelling) => what.includes(spelling))).map((key) => `${key} in ${where}`),
  );
  expect(found).toEqual([]);
});

test('a conversation goes from model to model with all its calls, none taken for another', async () => {
  const only = (model: string) => ({ prompt: 'ONE for all.', model });
  const models = [
    'gemini-2.5-flash',
    'gemini-2.5-flash',
    'claude-sonnet-4-5',
    'mistral:m',
    'groq:g',
    'claude-sonnet-4-5',
  ];
  tree = await plant(only('gemini-2.5-flash'));
  const created = await tree.http.post('/conversations', {});
  const path = `/conversations/${created.body.conversation.id}/messages`;
  for (const [index, model] of models.entries()) {
    if (index > 0 && model !== models[index - 1]) await tree.again('SIGTERM', only(model));
    // Every run has a call in the same place, and so of the same id.
    const { body } = await tree.http.post(path, { message: `call look {"name":"${index}"}` });
    expect(body.result.response, model).toBe(`look returned: look ${index}`);
  }
  const requests = await tree.model.requests();
  const idsIn = (url: RegExp, ids: (request: ModelRequest) => readonly unknown[]): readonly unknown[] => {
    const last = requests.findLast((request) => url.test(request.url));
    return last === undefined ? [] : ids(last);
  };
  const claude = idsIn(/^\/v1\/messages/, ({ body }) => valuesOf(body, 'tool_use_id'));
  expect(claude).toHaveLength(models.length);
  expect(new Set(claude).size).toBe(models.length);
  for (const id of claude) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  for (const [provider, count] of [
    ['mistral', 4],
    ['groq', 5],
  ] as const) {
    const ids = idsIn(new RegExp(`^/${provider}/`), ({ body }) => valuesOf(body, 'tool_call_id'));
    expect(new Set(ids).size, provider).toBe(count);
    for (const id of ids.slice(0, -1)) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  }
});

/** Every value under a key, however deep. */
function valuesOf(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : valuesOf(inner, key)));
}
