import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  await platform?.discard();
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
  test('a harmless request flows from the analyzer to the executor', async () => {
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

  test('a destructive one pauses at the executor, and goes on there once it is approved', async () => {
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

test('parallel: both branches run at the same time, and the summarizer has what both came to', async () => {
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

test.each([2, 3])('loop: adds until there are %i resources, asks nobody, and leaves by its tool', async (count) => {
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
});

describe('the chain of two agents', () => {
  let below: Platform | undefined;
  let places: Workplace | undefined;
  afterEach(async () => {
    await below?.discard();
    places?.remove();
    below = undefined;
  });

  /** Both agents, at other ports. */
  async function startChain(): Promise<{ readonly a: Client; readonly b: Client }> {
    places = workplace();
    const adapted = (name: string, at: Workplace): string =>
      readFileSync(join(testdata, `${name}.yaml`), 'utf8')
        .replace(/^port: .*$/m, 'port: 0')
        .replace('./data/resources.db', at.database)
        .replace(/^data_dir: .*$/m, `data_dir: ${JSON.stringify(at.dataDir)}`);
    below = await start(places, adapted('e2e-chain-b', places), { env: model.env });
    const config = adapted('e2e-chain-a', place).replace('http://127.0.0.1:9092', below.url);
    platform = await start(place, config, { env: model.env });
    return { a: client(platform.url), b: client(below.url) };
  }

  test('what only reads is answered at once', async () => {
    const { a } = await startChain();
    const answer = await ask(a, 'list all resources');
    expect(answer).toMatchObject({ conversation: { status: 'active' }, result: { waiting_approval: false } });
    expect(answer.result.response).toContain('there are no resources');
  });

  test('what is destructive is approved at the first agent, and done by the second', async () => {
    const { a, b } = await startChain();
    const asked = await ask(a, 'add resource my-test with value 42');
    const { approval } = asked.result;
    expect(approval).toMatchObject({
      kind: 'proxy',
      tool_name: 'resources_add',
      tool_args: { name: 'my-test', value: 42 },
      remote_agent_name: 'delegator',
    });
    expect(approval?.description).toContain('**PROXY APPROVAL — A2A Agent: delegator**');
    const remote = await b.get(`/conversations/${(approval as { remote_task_id?: string }).remote_task_id}`);
    expect(remote.body.conversation.status).toBe('waiting_approval');
    const done = await a.post(`/approvals/${approval?.uuid}`, { approved: true });
    expect(done.body.result).toMatchObject({ waiting_approval: false });
    expect(done.body.result.response).toContain('my-test');
    expect((await ask(b, 'list all resources')).result.response).toContain('my-test');
  });
});
