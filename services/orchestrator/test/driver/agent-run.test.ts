import { type AgentDefinition, DomainError, definedAs, type Fact, type RequestedCall } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { CallableAgents } from '../../src/agents/callable.ts';
import { AgentMemories } from '../../src/memories/agent-memories.ts';
import type { ModelAnswer } from '../../src/models/port.ts';
import { LogInMemory } from '../agents/log-in-memory.ts';
import { HandClock } from './one-driver.ts';
import { drivenAgent, llm, looks, says, tools } from './scripted-run.ts';

/** An agent from git whose model goes by its name. */
const agent = (name: string, prompt: string, allowedAgents: readonly string[] = []): AgentDefinition => ({
  name,
  root: llm(name, prompt, { onReject: 'continue', outputKey: '' }),
  platform: {
    title: name,
    description: `Does ${name}.`,
    tags: [],
    examples: [],
    allowedAgents,
    providers: [],
    contextScope: 'FULL',
    completionRequired: true,
  },
});
const tier1 = agent('tier1', 'You are {{agent_name}}. You may ask:\n{{allowed_agents}}', ['billing', 'legal']);
const billing = agent('billing', 'You do: {{prompt}} {{prompt}} with {{available_tools}}');

const limits = { depthMax: 10, callsMax: 100, circlesAllowed: false };
const calling = { limits, agentsTold: '- **billing**: Does billing. {{prompt}}' };

/** What is known of the agents that may be called; `looked`: the names that were asked for. */
function known(...all: readonly AgentDefinition[]): CallableAgents & { readonly looked: string[] } {
  const looked: string[] = [];
  const forCall: CallableAgents['forCall'] = async (name) => {
    looked.push(name);
    const found = all.find((one) => one.name === name);
    if (found === undefined) return undefined;
    const digests = { agentDigest: `digest of ${name}`, toolsetDigest: 't' };
    const source = { repository: 'agents', commit: 'c0ffee', path: `${name}/prompt.md` };
    const definitions = definedAs(digests, { agent: found, tools });
    return { ...digests, definitions, name, contextScope: 'FULL', source };
  };
  return { forCall, looked };
}

const asks = (name: string, args: object): RequestedCall => ({
  name,
  providerCallId: '',
  argumentsJson: JSON.stringify(args),
});
const callsAgent = (name: string, input: string, more = {}) => asks('call_agent', { agent_name: name, input, ...more });
const completes = (result: string, more = {}) =>
  asks('complete_agent_execution', { result, status: 'SUCCESS', ...more });

const casesOf = (log: readonly { readonly fact: Fact }[]) => log.map(({ fact }) => fact.case);

test('an agent that calls another is told what came of it, and ends the run with its own words', async () => {
  const agents = known(billing);
  const { asked, log, status, response } = await drivenAgent(
    tier1,
    {
      tier1: [says('I ask billing.', [callsAgent('billing', 'Refund it.')]), says('', [completes('It is refunded.')])],
      billing: [says('', [looks]), says('', [completes('Refund REF-1.', { confidence: 1 })])],
    },
    { agents, calling },
  );
  expect([status, response]).toEqual(['completed', 'It is refunded.']);
  expect(agents.looked).toEqual(['billing']);
  const [first, child, , last] = asked;
  expect(first?.system).toBe('You are tier1. You may ask:\n- **billing**: Does billing. {{prompt}}');
  expect(first?.tools.map(({ name }) => name)).toEqual([
    ...['look', 'put', 'call_agent', 'save_memory', 'load_memory', 'request_user_input', 'complete_agent_execution'],
  ]);
  expect(child?.system).toContain('You do: Refund it. Refund it. with - **look**: ');
  expect(child?.messages).toMatchObject([
    { role: 'user', text: expect.stringMatching(/go.*I ask billing\..*Your task:\n\nRefund it\.$/s) },
  ]);
  expect(last?.messages.at(-1)).toMatchObject({
    role: 'tool',
    results: [{ isError: false, content: expect.stringContaining('"result":"Refund REF-1."') }],
  });
  expect(casesOf(log).filter((one) => one?.startsWith('agent'))).toEqual(['agentCalled', 'agentReturned']);
});

test('agents that are called together work side by side, each told its own task alone where its caller says so', async () => {
  const { asked, response } = await drivenAgent(
    agent('tier1', 'x', ['billing', 'legal']),
    {
      tier1: [
        says('', [
          callsAgent('billing', 'One.', { context_scope: 'NONE' }),
          callsAgent('legal', 'Two.', { context_scope: 'NONE' }),
        ]),
        says('', [completes('Both.')]),
      ],
      billing: [says('', [completes('Paid.')])],
      legal: [says('', [completes('Legal.')])],
    },
    { agents: known(billing, agent('legal', 'y')), calling },
  );
  expect(response).toBe('Both.');
  expect(asked.slice(1, 3).map(({ messages }) => messages)).toEqual([
    [{ role: 'user', text: 'One.' }],
    [{ role: 'user', text: 'Two.' }],
  ]);
  expect(asked[3]?.messages.at(-1)).toMatchObject({
    results: [{ content: expect.stringContaining('Paid.') }, { content: expect.stringContaining('Legal.') }],
  });
});

test('while nobody can say what a name means, the run waits for the registry and says so', async () => {
  const { forCall } = known(billing);
  let told: readonly unknown[] = [];
  let tries = 0;
  const agents: CallableAgents = {
    forCall: async (name, signal) => {
      tries += 1;
      if (tries <= 2) throw new DomainError('unavailable', 'no registry answers');
      return forCall(name, signal);
    },
  };
  const { response } = await drivenAgent(
    tier1,
    {
      tier1: [says('', [callsAgent('billing', 'Refund it.')]), says('', [completes('Done.')])],
      billing: [says('', [completes('Refunded.')])],
    },
    { agents, calling, onSleep: (waits) => (told = [...told, ...waits]) },
  );
  expect([response, tries]).toEqual(['Done.', 3]);
  expect(told[0]).toMatchObject({ kind: views.WaitKind.REGISTRY, name: 'billing', reason: 'no registry answers' });
});

test('a name that means nothing is the result of the call', async () => {
  const { asked, response } = await drivenAgent(
    tier1,
    { tier1: [says('', [callsAgent('legal', 'Sue.')]), says('', [completes('No lawyer.')])] },
    { agents: known(billing), calling },
  );
  expect(response).toBe('No lawyer.');
  expect(asked[1]?.messages.at(-1)).toMatchObject({
    results: [{ isError: true, content: 'Agent "legal" not found in any git repository or external registry' }],
  });
});

test('an agent that answers without saying that it is done is told to, in its own prompt alone', async () => {
  const { asked, status, response } = await drivenAgent(
    tier1,
    {
      tier1: [says('', [callsAgent('billing', 'Refund it.')]), says('', [completes('Done.')])],
      billing: [says('Refunded!'), says('', [completes('Refunded.')])],
    },
    { agents: known(billing), calling },
  );
  expect([status, response]).toEqual(['completed', 'Done.']);
  expect(asked[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(asked[2]?.messages.at(-1)).toMatchObject({
    text: expect.stringContaining('You have not called complete_agent_execution'),
  });
  expect(asked[3]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('what an agent saves it loads in another run, also what is no object, and another agent does not', async () => {
  const log = new LogInMemory();
  const memories = new AgentMemories({
    ...{ instance: 'me', log, clock: new HandClock(), newId: () => 'id', random: () => 0 },
  });
  const saves = asks('save_memory', { key: 'name', value: 'Ada\u200b', expiresAt: null });
  const loads = asks('load_memory', { key: 'name' });
  const one = await drivenAgent(
    tier1,
    {
      tier1: [says('', [saves]), says('', [callsAgent('billing', 'Who is it?')]), says('', [completes('Yes.')])],
      billing: [says('', [loads]), says('', [completes('I do not know.')])],
    },
    { agents: known(billing), calling, memories },
  );
  const results = (asked: readonly { readonly messages: readonly unknown[] }[]) =>
    asked.map(({ messages }) => messages.at(-1));
  expect(results(one.asked)).toMatchObject([
    { role: 'user' },
    { results: [{ isError: false, content: 'Saved.' }] },
    { role: 'user' },
    { results: [{ isError: true, content: 'There is no memory name; nothing is remembered.' }] },
    { results: [{ content: expect.stringContaining('I do not know.') }] },
  ]);
  const other = await drivenAgent(
    tier1,
    { tier1: [says('', [loads]), says('', [completes('Hello.')])] },
    { agents: known(), calling, memories },
  );
  expect(results(other.asked)[1]).toMatchObject({
    results: [{ isError: false, content: expect.stringContaining('"Ada\\u{200b}"') }],
  });
});

test('a called agent is told what its file names of its own memory, where it is told no more than that', async () => {
  const memories = new AgentMemories({
    ...{ instance: 'me', log: new LogInMemory(), clock: new HandClock(), newId: () => 'id', random: () => 0 },
  });
  const signal = new AbortController().signal;
  const by = { conversationId: 'c', runId: 'earlier', stepId: 'root', callId: 'root#1.0' };
  await memories.save('billing', { key: 'rate', valueJson: '"1.5 %"' }, by, signal);
  const forCall: CallableAgents['forCall'] = async (...asked) => {
    const found = await known(billing).forCall(...asked);
    return found && { ...found, memoryKeys: ['rate', 'gone'] };
  };
  const told = async (scope: string) => {
    const { asked } = await drivenAgent(
      tier1,
      {
        tier1: [says('', [callsAgent('billing', 'Pay.', { context_scope: scope })]), says('', [completes('Done.')])],
        billing: [says('', [completes('Paid.')])],
      },
      { agents: { forCall }, calling, memories },
    );
    return JSON.stringify(asked[1]?.messages);
  };
  expect(await told('SPECIFIC')).toContain('What you remember:\\n\\nrate:\\n> \\"1.5 %\\"');
  expect(await told('SPECIFIC')).not.toContain('gone');
  expect(await told('FULL')).not.toContain('1.5');
});

test('a limit that one agent comes to loses no answer that another is being given', async () => {
  const limited: AgentDefinition = {
    ...tier1,
    platform: { ...tier1.platform!, limits: { tokensMax: 4, onLimit: 'ask' } },
  };
  let letLegalAnswer: (answer: ModelAnswer) => void = () => undefined;
  const late = new Promise<ModelAnswer>((resolve) => {
    letLegalAnswer = resolve;
  });
  const { log } = await drivenAgent(
    limited,
    {
      tier1: [says('', [callsAgent('billing', 'One.'), callsAgent('legal', 'Two.')])],
      billing: [says('', [looks])],
      legal: [late],
    },
    {
      agents: known(billing, agent('legal', 'y')),
      calling,
      // It is on its way when the run is paused.
      before: async ({ facts }) => {
        if (facts.some((one) => one.case === 'runPaused'))
          setTimeout(() => letLegalAnswer(says('', [completes('Legal.')])), 20);
        return undefined;
      },
    },
  );
  const cases = casesOf(log);
  expect(cases.filter((one) => one === 'runPaused' || one === 'runReleased')).toEqual(['runPaused', 'runReleased']);
  expect(
    log.filter(({ fact }) => fact.case === 'modelResponded' && fact.value.stepId === 'root#1.1/root'),
  ).toHaveLength(1);
  expect(cases.at(-1)).toBe('runReleased');
});

/** An agent that shares data with the others of its run. */
const sharing = (one: AgentDefinition, more: Partial<AgentDefinition['root']> = {}): AgentDefinition => ({
  ...one,
  root: { ...one.root, tools: ['look', 'run_data_*'], ...more } as AgentDefinition['root'],
});

test('what an agent writes, the one that it calls reads, also in the same answer, and no later run does', async () => {
  const write = (value: unknown) => asks('run_data_write', { key: 'order', value });
  const read = asks('run_data_read', { key: 'order' });
  const run = (start: readonly RequestedCall[]) =>
    drivenAgent(
      sharing(tier1),
      {
        tier1: [says('', start), says('', [callsAgent('billing', 'Refund it.')]), says('', [completes('Done.')])],
        billing: [says('', [read, asks('run_data_query', { text: 'id' })]), says('', [completes('Refunded.')])],
      },
      { agents: known(sharing(billing)), calling },
    );
  const { asked, log, response } = await run([read, write(1), write({ id: 4711 }), read]);
  expect(response).toBe('Done.');
  const results = asked.flatMap(({ messages }) =>
    messages.flatMap((one) => (one.role === 'tool' ? [one.results] : [])),
  );
  const nothing = 'Nothing is shared under order, nor under any other key.';
  expect(results[0]?.map(({ content }) => content)).toEqual([nothing, 'Written.', 'Written.', '{"id":4711}']);
  expect(asked[2]?.tools.map(({ name }) => name)).toContain('run_data_write');
  const found = '{"found":[{"key":"order","value":{"id":4711}}]}';
  const billed = asked[3]?.messages.at(-1);
  expect(billed).toMatchObject({ results: [{ content: '{"id":4711}' }, { content: found }] });
  // Two values were written, by the appends that hold the results.
  expect(casesOf(log).filter((one) => one === 'runDataWritten')).toHaveLength(2);

  const other = await run([read]);
  expect(other.asked[1]?.messages.at(-1)).toMatchObject({ results: [{ isError: true, content: nothing }] });
});

test('a called agent is told what its file names of the state of the run, where it is told no more than that', async () => {
  const forCall: CallableAgents['forCall'] = async (...asked) => {
    const found = await known(billing).forCall(...asked);
    return found && { ...found, stateKeys: ['order', 'gone', 'last'] };
  };
  const told = async (scope: string) => {
    const { asked } = await drivenAgent(
      sharing(tier1),
      {
        tier1: [
          says('', [callsAgent('billing', 'Look.'), asks('run_data_write', { key: 'order', value: [4711] })]),
          says('', [callsAgent('billing', 'Pay.', { context_scope: scope })]),
          says('', [completes('Done.')]),
        ],
        billing: [says('', [completes('Looked.')]), says('', [completes('Paid.')])],
      },
      { agents: { forCall }, calling },
    );
    return JSON.stringify(asked.find(({ messages }) => JSON.stringify(messages[0]).includes('Pay.'))?.messages[0]);
  };
  const specific = await told('SPECIFIC');
  expect(specific).toContain('What is known in this run:\\n\\norder:\\n> [4711]');
  expect(specific).not.toContain('gone');
  expect(await told('NONE')).not.toContain('known in this run');
});
