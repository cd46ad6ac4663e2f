import { randomUUID } from 'node:crypto';
import { nothingEarlier } from '@stopgo/core';
import { orchestrator as wire } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { beforeEach, describe, expect, test } from 'vitest';
import { TaskWatch, watchTimes } from '../../src/driver/delegations/task-watch.ts';
import { Registry } from '../../src/driver/run/registry.ts';
import type { ModelOutcome } from '../../src/models/port.ts';
import { orchestratorService } from '../../src/server.ts';
import { driverWith } from '../driver/one-driver.ts';
import { SeveralAgents, Surroundings } from './catalogues.ts';

const waits = { milliseconds: 60_000 };

/** An orchestrator of several agents, each with a model of its own. */
function orchestratorOf(...names: string[]) {
  const around = new Surroundings();
  const agents = new SeveralAgents(around, names);
  const said: string[] = [];
  const generate = (name: string) => async (): Promise<ModelOutcome> => {
    said.push(name);
    const usage = { inputTokens: 1, outputTokens: 1 };
    return {
      kind: 'answer',
      answer: { text: `${name} says`, calls: [], provider: 'test', model: name, usage, stopReason: 'end' },
    };
  };
  const { ports } = driverWith(
    {},
    {
      log: around.log,
      newId: () => around.newId(),
      models: { forModel: (name) => ({ takes: () => false, generate: generate(name) }) },
    },
  );
  const registry = new Registry(ports, around.definitions, 10);
  const { definitions } = around;
  const load = (id: string) => registry.load(id);
  const watch = new TaskWatch({ ports, definitions, load, resume: (id) => registry.resume(id) }, watchTimes);
  const { signal } = new AbortController();
  const contexts = async () => nothingEarlier;
  const service = orchestratorService({
    registry,
    watch,
    definitions,
    agents,
    contexts,
    signal,
    keepBlob: async () => false,
  });
  return { agents, said, log: around.log, client: createInProcessClient(wire.OrchestratorService, service) };
}

describe('with several agents', () => {
  let under: ReturnType<typeof orchestratorOf>;
  let conversationId: string;
  beforeEach(() => {
    under = orchestratorOf('clerk', 'baker', 'smith');
    conversationId = randomUUID();
  });
  const create = (agentName: string, message = 'Hello.') =>
    under.client.createConversation({ conversationId, agentName, message, wait: waits });
  const say = (message: string, idempotency?: { key: string; requestDigest: string }) =>
    under.client.sendMessage({ conversationId, message, wait: waits, ...(idempotency && { idempotency }) });
  const opened = () => under.log.of(conversationId).find(({ fact }) => fact.case === 'conversationCreated')?.fact.value;

  test.each([
    ['baker', 'baker'],
    ['', 'clerk'],
  ])('the one that is named (%j) answers, now and later', async (named, answers) => {
    const { turn } = await create(named);
    expect(turn?.outcome).toBe(wire.TurnOutcome.SETTLED);
    await say('And now?');
    expect(under.said).toEqual([answers, answers]);
    expect(opened()).toMatchObject({ agentName: answers, systemPrompt: `Of ${answers}.` });
  });

  test('a conversation without a message is answered by its agent too', async () => {
    await create('smith', '');
    await say('Hello.');
    expect([opened(), under.said]).toMatchObject([{ agentName: 'smith' }, ['smith']]);
  });

  test('a conversation is not opened for one that there is not', async () => {
    await expect(create('cook')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'there is no agent cook; there are clerk, baker, smith',
    });
    expect([under.log.streams.size, under.log.appends]).toEqual([0, 0]);
  });

  test('a message for one that is gone is refused, and nothing is recorded', async () => {
    await create('baker');
    under.agents.remove('baker');
    const before = under.log.appends;
    await expect(say('And now?')).rejects.toMatchObject({
      kind: 'failed_precondition',
      details: { reason: 'no_agent' },
      message: expect.stringContaining('was opened for the agent baker, which is not there any more; there are clerk'),
    });
    expect([under.log.appends, under.said]).toEqual([before, ['baker']]);
  });

  test('and if only one is left, that one goes on', async () => {
    await create('baker');
    for (const gone of ['baker', 'smith']) under.agents.remove(gone);
    await say('And now?');
    expect(under.said).toEqual(['baker', 'clerk']);
  });

  test('a request that was taken before is answered as it was, though its run would be refused now', async () => {
    const idempotency = { key: 'k', requestDigest: 'd' };
    const opening = { conversationId, agentName: 'baker', message: 'Hello.', wait: waits, idempotency };
    await under.client.createConversation(opening);
    const deeper = { ...opening, callDepthMax: 2 };
    expect((await under.client.createConversation(deeper)).turn?.outcome).toBe(wire.TurnOutcome.SETTLED);
    const elsewhere = { ...deeper, conversationId: randomUUID() };
    const refused = { kind: 'invalid_argument', details: { reason: 'call_depth' } };
    await expect(under.client.createConversation(elsewhere)).rejects.toMatchObject(refused);
    expect(under.log.of(elsewhere.conversationId)).toEqual([]);
  });

  test('requests that were taken before are answered as they were, though the agent is gone', async () => {
    const idempotency = { key: 'k', requestDigest: 'd' };
    const opening = { conversationId, agentName: 'baker', message: 'Hello.', wait: waits, idempotency };
    const again = { key: 'k2', requestDigest: 'd2' };
    await under.client.createConversation(opening);
    await say('And now?', again);
    under.agents.remove('baker');
    const before = under.log.appends;
    expect((await under.client.createConversation(opening)).turn?.outcome).toBe(wire.TurnOutcome.SETTLED);
    expect((await say('And now?', again)).turn?.outcome).toBe(wire.TurnOutcome.SETTLED);
    expect([under.log.appends, under.said]).toEqual([before, ['baker', 'baker']]);
    const elsewhere = { ...opening, conversationId: randomUUID() };
    await expect(under.client.createConversation(elsewhere)).rejects.toMatchObject({ details: { reason: 'no_agent' } });
  });
});
