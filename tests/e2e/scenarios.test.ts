import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAgentConfig } from '@stopgo/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Body, type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

// The scenarios that a platform for agent trees was asked to play, on the configurations they name. The model follows its rules.

const testdata = join(import.meta.dirname, 'testdata');

let place: Workplace;
let model: ScriptedModel;
let platform: Platform | undefined;
beforeEach(async () => {
  place = workplace();
  model = await scriptedModel();
});
afterEach(async () => {
  await platform?.end('SIGKILL');
  platform = undefined;
  await model.stop();
  place.remove();
});

/** Starts the platform with one of the configurations; only its port and its folders are others. */
async function startWith(name: string): Promise<Client> {
  const config = readFileSync(join(testdata, `${name}.yaml`), 'utf8')
    .replace(/^port: .*$/m, 'port: 0')
    .replace('./data/resources.db', place.database)
    .replace(/^data_dir: .*$/m, `data_dir: ${JSON.stringify(place.dataDir)}`);
  platform = await start(place, config, { env: model.env });
  return client(platform.url);
}

/** What a new conversation comes to. */
async function ask(agent: Client, message: string): Promise<Body> {
  const { status, body } = await agent.post('/conversations', { message });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

/** The instructions of each request to the model, in the order in which they came. */
async function instructions(): Promise<string[]> {
  const requests = (await model.requests()) as readonly {
    body: { systemInstruction: { parts: { text: string }[] } };
  }[];
  return requests.map(({ body }) => body.systemInstruction.parts.map(({ text }) => text).join('\n'));
}

/** Each distinct node that said something, in the order in which it first did. */
function spoken({ conversation }: Body): string[] {
  const names = conversation.messages.map(({ content }) => /^\[([\w-]+)\] /.exec(content)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

describe('sequential', () => {
  test('a harmless request flows from the analyzer to the executor (TS-016, TS-022)', async () => {
    const agent = await startWith('e2e-sequential');
    const answer = await ask(agent, 'list all resources');
    expect(answer).toMatchObject({
      conversation: { status: 'active' },
      result: { waiting_approval: false, response: 'resources_list: there are no resources.' },
    });
    expect(spoken(answer)).toEqual(['analyzer', 'executor']);
    const [analyzer, executor] = await instructions();
    expect(analyzer).toContain('You analyze');
    expect(executor).toContain('Task: As I understand it: list all resources');
  });

  test('a destructive one pauses at the executor, and goes on there once it is approved (TS-019, TS-023)', async () => {
    const agent = await startWith('e2e-sequential');
    const { conversation, result } = await ask(agent, 'add resource seq-test with value 42');
    expect(conversation).toMatchObject({
      status: 'waiting_approval',
      pipeline_state: {
        paused_node_path: [1],
        paused_node_output_key: '',
        session_state: { analysis: 'As I understand it: add resource seq-test with value 42' },
        user_message: 'add resource seq-test with value 42',
      },
    });
    expect(result.approval).toMatchObject({ tool_name: 'resources_add', tool_args: { name: 'seq-test', value: 42 } });

    const { status, body } = await agent.post(`/approvals/${result.approval?.uuid}`, { approved: true });
    expect(status).toBe(200);
    expect(body.conversation).toMatchObject({ status: 'active' });
    expect(body.conversation).not.toHaveProperty('pipeline_state');
    expect(body.result).toMatchObject({
      waiting_approval: false,
      response: expect.stringContaining('added "seq-test"'),
    });
    const asked = await instructions();
    expect(asked.map((text) => /You (\w+)/.exec(text)?.[1])).toEqual(['analyze', 'execute', 'execute']);
    expect((await ask(agent, 'list all resources')).result.response).toContain('- seq-test = 42');
  });
});

test('parallel: both branches run at the same time, and the summarizer has what both came to (TS-017, TS-024)', async () => {
  const agent = await startWith('e2e-parallel');
  await model.script({ hang: true }, { hang: true });
  const asking = ask(agent, 'give me a full overview of all resources');
  await expect.poll(async () => (await model.requests()).length, { timeout: 15_000 }).toBe(2);
  await model.release();
  const answer = await asking;
  expect(answer).toMatchObject({ conversation: { status: 'active' }, result: { waiting_approval: false } });
  expect(spoken(answer).sort()).toEqual(['count-analysis', 'list-all', 'summarizer']);
  const listed = 'resources_list: there are no resources.';
  expect(answer.result.response).toBe(`As I understand it: Sum up the list: ${listed} And the count: ${listed}`);
});

test.each([2, 3])(
  'loop: adds until there are %i resources, asks nobody, and leaves by its tool (TS-018, TS-025)',
  async (count) => {
    const agent = await startWith('e2e-loop');
    const answer = await ask(agent, `ensure we have at least ${count} resources`);
    expect(answer).toMatchObject({ conversation: { status: 'active' }, result: { waiting_approval: false } });
    const calls = answer.conversation.messages.flatMap(({ role, tool_call }) =>
      role === 'assistant' && tool_call ? [tool_call] : [],
    );
    const added = calls.filter(({ name }) => name === 'resources_add');
    expect(added).toMatchObject(Array.from({ length: count }, () => ({ auto_approved: true })));
    // One round for each, and the one that only looks: fewer than it may take.
    expect(calls.filter(({ name }) => name === 'resources_list')).toHaveLength(count + 1);
    expect(answer.conversation.messages.at(-1)?.content).toBe('[resource-checker] exit_loop called');
    expect(answer.result.response).toContain(`There are ${count} resources`);
    const requests = (await model.requests()).length;
    expect(requests).toBe(3 * count + 2);

    const after = await ask(agent, `ensure we have at least ${count} resources`);
    expect(after.result.response).toContain(`There are ${count} resources`);
    expect((await model.requests()).length).toBe(requests + 2);
  },
);

describe('the chain of two agents', () => {
  const load = (name: string) =>
    loadAgentConfig(join(testdata, `${name}.yaml`), { readFile: (path) => readFileSync(path, 'utf8') });

  test('both are sound', () => {
    expect(load('e2e-chain-b')).toMatchObject({ config: { port: 9092, agent: { type: 'llm' } }, warnings: [] });
    expect(load('e2e-chain-a')).toMatchObject({ config: { agent: { agents: [{}, { type: 'a2a' }] } }, warnings: [] });
  });
});
