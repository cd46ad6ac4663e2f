import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientOf, data, said, task, textsOf } from './a2a.ts';
import { startWithRegistry, type WithoutRegistry } from './absent-registry.ts';
import { type AgentsInGit, agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, type Step, scriptedModel } from './model.ts';
import { resourcesConfig, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';
import { follow } from './sse.ts';
import { stopgoHere } from './stopgo-here.ts';

/**
 * A customer wants money back that the policy does not give: a first agent looks order and customer up and asks a second one, which has a
 * person choose. Both come from a repository made on the spot. It is one run of two steps with one question, also with the registry away.
 */
const longMs = 240_000;
const tier1 = 'support/tier1-agent';
const billing = 'support/billing-specialist';
const choices = ['Approve full refund', 'Offer store credit', 'Deny exception'];
const question = 'Customer exceeds refund policy but is VIP. Approve exception?';
const refunded = 'Full refund of $299.99 approved and processed. Refund ID: REF-456789';
const final =
  "Order #ORDER-789 has been cancelled and full refund of $299.99 processed. You'll see the refund in 3-5 business days. Refund tracking: REF-456789";

const files = {
  [tier1]: `---
name: "Tier1CustomerSupport"
description: "Handles common customer inquiries about orders, returns, and account issues"
version: "2.1.0"
tags: ["customer-support", "tier-1", "e-commerce"]
model: "gpt-4-turbo"
providers: ["openai_gpt4"]
mcpServers: ["order-management", "customer-db", "refund-processor"]
allowedAgents: ["support/billing-specialist", "support/escalation-manager"]
examples:
  - "Customer wants to check order status"
  - "Help with billing inquiry"
---

You are a Tier 1 Customer Support Agent.

{{allowed_agents}}

Your task: {{prompt}}
`,
  [billing]: `---
name: "BillingSpecialist"
description: "Complex billing issues, payment problems, or policy exceptions"
model: "gpt-4-turbo"
providers: ["openai_gpt4"]
---

You are the Billing Specialist. Your task: {{prompt}}
`,
  'support/escalation-manager': `---
name: "EscalationManager"
description: "VIP customers or sensitive complaints"
---

You are the Escalation Manager. Your task: {{prompt}}
`,
};

const call = (name: string, args: Record<string, unknown>) => ({ name, args });
const front = (...calls: ReturnType<typeof call>[]): Step => ({ prompt: 'Tier 1 Customer Support', calls });
const specialist = (...calls: ReturnType<typeof call>[]): Step => ({ prompt: 'Billing Specialist', calls });
const completes = (result: string, confidence: number) =>
  call('complete_agent_execution', { result, status: 'SUCCESS', confidence });
const delegates = front(
  call('call_agent', {
    agent_name: billing,
    input:
      'VIP customer John Smith wants refund for order #ORDER-789, which is 95 days old. Please evaluate exception.',
  }),
);
const story: readonly Step[] = [
  front(call('order_lookup', { order_id: 'ORDER-789' })),
  front(call('customer_profile', { name: 'John Smith' })),
  delegates,
  specialist(call('request_user_input', { prompt: question, inputType: 'choice', choices })),
  specialist(completes(refunded, 1)),
  front(completes(final, 0.95)),
];

let place: Workplace;
let model: ScriptedModel;
let agents: AgentsInGit;
let commit: string;
let platform: WithoutRegistry;
let http: Client;
/** Requests that the model had before the test. */
let before: number;

const journal = () => join(place.folder, 'tools/shop');

const config = () => {
  const servers = ['order-management', 'customer-db', 'refund-processor'].map(
    (name) =>
      `\n  - { name: ${name}, command: node, args: [tests/e2e/fixtures/shop.mjs, ${name}, ${JSON.stringify(journal())}] }`,
  );
  return resourcesConfig(
    place,
    `
heartbeat_ttl: 2s
providers: { openai_gpt4: { type: OPENAI } }
llm: { model: "openai_gpt4:gpt-4-turbo" }
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1s }`,
  ).replace('mcp_servers:', `mcp_servers:${servers.join('')}`);
};

beforeAll(async () => {
  place = workplace();
  model = await scriptedModel();
  agents = agentsInGit(join(place.folder, 'main-agents'));
  for (const [name, text] of Object.entries(files)) agents.write(`${name}/prompt.md`, text);
  commit = agents.commit('Three agents');
  platform = await startWithRegistry(place, config(), model.env);
  http = client(platform.url);
  await until('the repository is synced', async () => (await http.get(`/agents/${tier1}`)).status === 200 || undefined);
}, longMs);

beforeEach(async () => {
  writeFileSync(journal(), '');
  before = (await model.requests()).length;
});

afterAll(async () => {
  await platform.discard();
  await noneLeftOf(place.folder);
  await model.stop();
  place.remove();
}, longMs);

// The shapes of other routes do not fit here.
const json = async (answer: ReturnType<Client['get']>) => {
  const { status, text } = await answer;
  return { status, body: JSON.parse(text) };
};

async function ask(): Promise<string> {
  const message = 'I want to cancel order #ORDER-789 and get a refund';
  const { body } = await json(http.post('/conversations', { agent: tier1, message }, { prefer: 'respond-async' }));
  return body.conversation.id;
}

const asked = async () => (await model.requests()).slice(before);

const read = async (id: string) => (await json(http.get(`/conversations/${id}`))).body.conversation;

/** The run, once it waits for the choice. */
const questionOf = (id: string) =>
  until('the specialist asks a person', async () => (await read(id)).pending_inputs?.[0]);

/** The ways in which people answer what an agent asks. */
const answers = {
  overRest: async (id: string, input: string) => {
    const body = { action: 'accept', content: { answer: choices[0] } };
    expect([200, 202]).toContain((await http.post(`/conversations/${id}/inputs/${input}`, body)).status);
  },
  overA2A: async (taskId: string, input: string) => {
    const peer = await clientOf(platform.url);
    const given = data({ input_id: input, action: 'accept', content: { answer: choices[0] } });
    const done = task(await peer.sendMessage(said([given], { taskId })));
    expect([done.id, textsOf(done.artifacts[0]?.parts)]).toEqual([taskId, final]);
  },
  inATerminal: async (id: string, input: string) => {
    const content = JSON.stringify({ answer: choices[0] });
    const { output } = await stopgoHere(['answer', id, '--input', input, '--content', content, '--url', platform.url]);
    expect(output).toContain(final);
  },
};

/** Two steps, one question, six questions of models, two calls of tools, each once; and the words that the customer is told. */
async function isToldAsItWas(id: string): Promise<void> {
  const told = await until('the run ends', async () => {
    const found = await read(id);
    return found.run.status === 'working' ? undefined : found;
  });
  expect(told).toMatchObject({ run: { status: 'completed' }, messages: expect.any(Array) });
  expect(told.messages.at(-1)).toMatchObject({ role: 'assistant', content: final });
  const { body } = await json(http.get(`/runs/${id}/steps`));
  const agent_source = { repository: 'main-agents', git_commit: commit };
  expect(body.steps).toMatchObject([
    { agent: tier1, state: 'COMPLETED', agent_source, completion: { result: final, status: 'SUCCESS' } },
    { agent: billing, state: 'COMPLETED', agent_source, completion: { result: refunded, status: 'SUCCESS' } },
  ]);
  expect(body.steps[1].parent).toBe(body.steps[0].id);
  const events = await follow(platform.url, id);
  await events.next('the end of the run', ({ type }) => type === 'run_completed');
  events.close();
  const kinds = events.events.map(({ type }) => type);
  const countOf = (kind: string) => kinds.filter((one) => one === kind).length;
  expect({
    questions: countOf('input_requested'),
    answers: countOf('input_provided'),
    approvals: countOf('approval_requested'),
    calledAgents: countOf('agent_called'),
  }).toEqual({ questions: 1, answers: 1, approvals: 0, calledAgents: 1 });
  expect(readFileSync(journal(), 'utf8').split('\n').filter(Boolean)).toEqual([
    'order_lookup {"order_id":"ORDER-789"}',
    'customer_profile {"name":"John Smith"}',
  ]);
  const texts = (await asked()).map(({ body: sent }) => JSON.stringify(sent));
  expect(texts).toHaveLength(story.length);
  for (const text of texts) expect(text).toContain('"model":"gpt-4-turbo"');
  expect(texts[4]).toContain('Approve full refund');
}

test('two steps, one question with the choice of a person, and the words that the customer is told', {
  timeout: longMs,
}, async () => {
  await model.script(...story);
  const id = await ask();
  const input = await questionOf(id);
  expect(input).toMatchObject({ agent: billing, input_type: 'choice', message: expect.stringContaining(question) });
  expect(input.requested_schema.properties.answer.enum).toEqual(choices);
  await answers.overRest(id, input.id);
  await isToldAsItWas(id);
});

test('with the registry away, the run says that it waits for it, and goes on once when it is back', {
  timeout: longMs,
}, async () => {
  await model.script(...story.map((step) => (step === delegates ? { ...step, hang: true as const } : step)));
  const id = await ask();
  await until('it is about to call the specialist', async () => (await asked()).length === 3 || undefined);
  platform.takeAway();
  await model.release();
  const wait = await until('it says what it waits for', async () =>
    (await read(id)).waiting_for?.find(({ kind }: { kind: string }) => kind === 'registry'),
  );
  expect(wait).toMatchObject({
    name: billing,
    reason: expect.any(String),
    text: expect.stringContaining(`the registry, where the agent "${billing}" is looked up, is out of reach since `),
  });
  expect(await asked()).toHaveLength(3);
  platform.bringBack();
  const input = await questionOf(id);
  expect((await read(id)).waiting_for.map(({ kind }: { kind: string }) => kind)).toEqual(['input']);
  await answers.inATerminal(id, input.id);
  await isToldAsItWas(id);
});

test('with the repository gone, agents stay as they were synced, and it is told what is wrong', {
  timeout: longMs,
}, async () => {
  renameSync(agents.folder, `${agents.folder}-away`);
  const failed = await until('a sync has failed', async () => {
    const { body } = await json(http.get('/repositories'));
    return body.repositories[0].last_sync_status === 'FAILED' ? body.repositories[0] : undefined;
  });
  expect(failed).toMatchObject({ agent_count: 3, last_sync_commit: commit });
  await model.script(...story);
  const id = await ask();
  await answers.overA2A(id, (await questionOf(id)).id);
  await isToldAsItWas(id);
  renameSync(`${agents.folder}-away`, agents.folder);
});

test('with the registry gone for good once both agents are known, the run goes to its end; new ones are told to ask again', {
  timeout: longMs,
}, async () => {
  await model.script(...story);
  const id = await ask();
  const input = await questionOf(id);
  platform.takeAway();
  const refused = await json(http.post('/conversations', { agent: tier1, message: 'Me too' }));
  expect(refused).toMatchObject({ status: 503, body: { error: expect.stringMatching(/registry/u) } });
  await answers.overRest(id, input.id);
  await isToldAsItWas(id);
});
