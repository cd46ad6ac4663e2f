import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fact } from '@stopgo/core';
import { store, views } from '@stopgo/proto';
import { bind, connectGrpc, createGrpcClient, messageBytesMaxDefault, startGrpcServer } from '@stopgo/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { viewApprovalBytesMax } from '../src/bounds.ts';
import { startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

/** Branches of a tree, and the calls for which each of them waits: together they are larger than any message may be. */
const branches = 60;
const callsPerBranch = 5;
const argumentsJson = JSON.stringify({ text: 'x'.repeat(60_000) });

const dataDir = freshDirectory();
let client: ReturnType<typeof createGrpcClient<typeof store.StoreService>>;
let stop: () => Promise<void>;

beforeAll(async () => {
  const running = await startStore({ dataDir, log: silent });
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [bind(store.StoreService, running.service)],
  });
  const channel = connectGrpc(server.address);
  client = createGrpcClient(store.StoreService, channel);
  stop = async () => {
    channel.close();
    await server.stop(0);
    await running.stop();
  };
});

afterAll(async () => {
  await stop();
  rmSync(dataDir, { recursive: true });
});

test('of very many approvals a view shows the oldest, its head names all, and their list shows all', async () => {
  expect(branches * callsPerBranch * argumentsJson.length).toBeGreaterThan(messageBytesMaxDefault);
  const story = new Story();
  const send = async (append: Parameters<typeof client.append>[0]) => {
    const { outcome } = await client.append({ ...append, returnView: true });
    if (outcome.case !== 'appended') throw new Error(`not appended but ${outcome.case}`);
    return outcome.value.view;
  };
  await send(story.created());
  await send(story.asked('write them all'));
  const { runId } = story;
  const steps = Array.from({ length: branches }, (_, branch) => `root/${branch}`);
  await send(story.append(...steps.map((stepId) => fact('stepStarted', { runId, stepId, nodeType: 'llm' }))));
  const ids: string[] = [];
  let view: views.ConversationView | undefined;
  for (const stepId of steps) {
    const calls = Array.from({ length: callsPerBranch }, (_, index) => {
      return { callId: `${stepId}#1.${index}`, tool: 'write', argumentsJson };
    });
    const callRevision = story.revision + 1;
    const asked = calls.map(({ callId, tool }) => {
      return { runId, stepId, callId, tool, callRevision, approvalId: randomUUID() };
    });
    ids.push(...asked.map((one) => one.approvalId));
    const answer = fact('modelResponded', { runId, stepId, turn: 1, calls });
    view = await send(story.append(answer, ...asked.map((one) => fact('approvalRequested', one))));
  }
  const shown = view?.pendingApprovals ?? [];
  expect(shown.map((one) => one.id)).toEqual(ids.slice(0, Math.floor(viewApprovalBytesMax / argumentsJson.length)));
  expect(view?.head?.pendingApprovalIds).toEqual(ids);
  const ofRead = (await client.getConversation({ conversationId: story.id })).view?.pendingApprovals;
  const ofList = (await client.listConversations({})).conversations[0]?.pendingApprovals;
  for (const same of [ofRead, ofList]) expect(same?.map((one) => one.id)).toEqual(shown.map((one) => one.id));
  const listed: string[] = [];
  for (let cursor = ''; listed.length === 0 || cursor !== ''; ) {
    const page = await client.listApprovals({ conversationId: story.id, status: views.ApprovalStatus.PENDING, cursor });
    listed.push(...page.approvals.map((one) => one.id));
    cursor = page.nextCursor;
  }
  expect(listed).toEqual(ids);
});
