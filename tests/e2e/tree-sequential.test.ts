import { afterEach, expect, test } from 'vitest';
import { type PlantedTree, plant } from './tree.ts';

/** Nodes that run one after the other: what they hand on, where they pause, and how they go on from there. */
let tree: PlantedTree | undefined;

afterEach(async () => {
  await tree?.end();
  tree = undefined;
});

const analyst = { name: 'analyst', prompt: 'ANALYST, look.', output_key: 'analysis' };
const worker = {
  name: 'worker',
  prompt: 'WORKER, mend what {analysis}, leave {unknown}.',
  model: 'claude-sonnet-4-5',
  output_key: 'work',
};
const closer = { name: 'closer', prompt: 'CLOSER, tell of {analysis} and: {work}' };
const line = (...agents: readonly object[]) => ({ type: 'sequential', agents: [analyst, ...agents] });

/** Has the analyst say what is missing, and the worker ask for an approval. */
async function pause(story: string) {
  await tree?.model.script(
    { match: story, prompt: 'ANALYST', text: 'one is missing' },
    { match: story, prompt: 'WORKER', calls: [{ name: 'resources_add', args: { name: story, value: 42 } }] },
  );
  const { body, status } = (await tree?.ask(`do ${story}`)) ?? expect.fail();
  expect(status).toBe(201);
  expect(body.result.waiting_approval).toBe(true);
  return body;
}

test('a pause shows where it is and what was said so far; after a crash it goes on from there, and nothing runs again', async () => {
  tree = await plant(line(worker, closer), { asProcess: true });
  const { conversation, result } = await pause('mending');
  const { uuid = '', description } = result.approval ?? {};
  expect(result.response).toBe(`This action requires approval:\n\n${description}\n\nApproval UUID: ${uuid}`);
  expect(description).toBe('**ADD Resource**\n\nName: mending\nValue: 42');
  expect(conversation.status).toBe('waiting_approval');
  const state = {
    paused_node_path: [1],
    paused_node_output_key: 'work',
    session_state: { analysis: 'one is missing' },
    user_message: 'do mending',
  };
  expect(conversation.pipeline_state).toEqual({ ...state, node: 'worker', step_id: 'root/1', approvals: [uuid] });
  expect(conversation.pipeline_states).toEqual([conversation.pipeline_state]);
  expect((await tree.http.get(`/conversations/${conversation.id}`)).body.conversation).toEqual(conversation);

  await tree.again('SIGKILL');
  await tree.model.script({ prompt: 'CLOSER', text: 'It is mended.' });
  const done = await tree.decide(uuid, true);
  expect(done.status).toBe(200);
  expect(done.body.result).toMatchObject({ response: 'It is mended.', waiting_approval: false });
  expect(done.body.conversation.run?.status).toBe('completed');
  expect(done.body.conversation.pipeline_state).toBeUndefined();
  expect(done.body.conversation.pipeline_states).toBeUndefined();

  const requests = await tree.model.requests();
  expect(requests).toHaveLength(4);
  const told = async (prompt: string) => (await tree?.asked(prompt)) ?? [];
  expect(await told('ANALYST, look.')).toHaveLength(1);
  const toWorker = await told('WORKER, mend what one is missing, leave {unknown}.');
  expect(toWorker.map(({ url }) => url.split('?')[0])).toEqual(['/v1/messages', '/v1/messages']);
  // A node is not shown what others said, but for what its prompt asks for.
  expect(JSON.stringify(toWorker[0]?.body).split('one is missing')).toHaveLength(2);
  const [toCloser] = await told('CLOSER, tell of one is missing and: resources_add: added \\"mending\\" with value 42');
  expect(toCloser?.url).toContain('/models/gemini-2.5-flash:');

  const said = done.body.conversation.messages.map(({ role, content, tool_call: call }) =>
    [role, call === undefined ? content.split('\n')[0] : `${call.name}${call.result === undefined ? '' : '!'}`].join(),
  );
  expect(said).toEqual([
    'system,You look after resources.',
    'user,do mending',
    'assistant,[analyst] one is missing',
    'assistant,resources_add',
    'user,[APPROVAL]: Approved',
    'tool,resources_add!',
    expect.stringMatching(/^assistant,\[worker\] resources_add: added "mending" with value 42/),
    'assistant,[closer] It is mended.',
  ]);
});

test('of a last node that says nothing after its call, the result of the call is the answer', async () => {
  tree = await plant(line({ ...worker, model: undefined }));
  const { result } = await pause('silent');
  await tree.model.script({ match: 'silent', prompt: 'WORKER', text: '' });
  const done = await tree.decide(result.approval?.uuid, true);
  expect(JSON.parse(done.body.result.response)).toMatchObject({ name: 'silent', value: 42 });
  expect(done.body.conversation.run?.status).toBe('completed');
});

test('a rejection ends the run: no later node runs, nothing is left of the pause, and the next message is a run of its own', async () => {
  tree = await plant(line(worker, closer));
  const { result, conversation } = await pause('refused');
  const done = await tree.decide(result.approval?.uuid, false);
  expect(done.body.result).toMatchObject({ response: 'Operation cancelled by user.', waiting_approval: false });
  expect(done.body.conversation.pipeline_state).toBeUndefined();
  expect(done.body.conversation.messages.slice(-2).map(({ content }) => content)).toEqual([
    '[APPROVAL]: Rejected',
    'Operation cancelled by user.',
  ]);
  expect(await tree.model.requests()).toHaveLength(2);
  await tree.model.script({ prompt: 'CLOSER', text: 'Nothing was done.' });
  const path = `/conversations/${conversation.id}/messages`;
  const next = await tree.http.post(path, { message: 'list resources like refused' });
  expect(next.body.result.response).toBe('Nothing was done.');
  expect(next.text).toContain('[worker] resources_list: there are no resources.');
});

test('with on_reject: continue the model is told, and the nodes after it run: without a prompt or model, with those of the top', async () => {
  const nodes = line(worker, closer, { name: 'plain' });
  tree = await plant({ ...nodes, on_reject: 'continue' }, { more: 'llm: {model: "mistral:small"}' });
  const { result } = await pause('declined');
  await tree.model.script(
    { prompt: 'WORKER', text: 'Then I leave it.' },
    { prompt: 'CLOSER', text: 'It was left as it is.' },
    { prompt: 'You look after resources.', text: 'As it was.' },
  );
  const done = await tree.decide(result.approval?.uuid, false);
  expect(done.body.result.response).toBe('As it was.');
  const [toPlain, ...more] = await tree.asked('You look after resources.');
  expect(toPlain).toMatchObject({ url: '/mistral/v1/chat/completions', body: { model: 'small' } });
  expect(more).toEqual([]);
  const [, second] = await tree.asked('WORKER');
  expect(JSON.stringify(second?.body)).toContain('The user rejected this call; it was not run.');
  expect(await tree.asked('CLOSER, tell of one is missing and: Then I leave it.')).toHaveLength(1);
});

test('a tree of one node shows no pipeline, and its own prompt and model count', async () => {
  tree = await plant({ prompt: 'ONLY one.', model: 'openai:gpt-5' });
  const { body } = await tree.ask('create a server alone with value 1');
  expect(body.result.waiting_approval).toBe(true);
  expect(body.conversation.pipeline_state).toBeUndefined();
  const done = await tree.decide(body.result.approval?.uuid, true);
  expect(done.body.result.response).toContain('added "alone" with value 1');
  expect(done.body.conversation.messages.at(-1)?.content).toBe(done.body.result.response);
  const asked = await tree.asked('ONLY one.');
  expect(asked.map(({ url }) => url)).toEqual(Array(2).fill('/openai/v1/chat/completions'));
});
