import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callDigest, decodeRecorded } from '@stopgo/core';
import { approvals, mcp, store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient, Secret } from '@stopgo/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { client, type Client as Http, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, launchCommand, type RunningCommand, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';

/**
 * Calls that are sent straight to a bridge, over gRPC and with the internal token: as by an orchestrator that has gone wrong, or
 * that somebody has taken over.
 */
const startMs = 120_000;
const token = 'a-token-of-the-test-that-nobody-prints';
const { RefusedReason } = mcp;

type Bridge = Client<typeof mcp.McpBridgeService>;

let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let http: Http;
let bridges: readonly Bridge[];
let log: Client<typeof store.StoreService>;
let approvalsClient: Client<typeof approvals.ApprovalsService>;
let orchestrator: RunningCommand;
const running: RunningCommand[] = [];
const closing: (() => void)[] = [];

function grpc(address: string) {
  const channel = connectGrpc(address, { internalToken: new Secret(token) });
  closing.push(() => channel.close());
  return channel;
}

const said = (command: RunningCommand, what: RegExp): Promise<string> =>
  until(`${what}`, async () => what.exec(command.output())?.[1], startMs);

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  const config = join(place.folder, 'agent.yaml');
  writeFileSync(
    config,
    journaledConfig(place, '', 'stateless: true').replace('name: resources', 'name: resources\n    stateless: true'),
  );
  const ports = await freePorts(5);
  const [atStore = '', one = '', two = '', atOrchestrator = '', atApprovals = ''] = ports.map(
    (port) => `127.0.0.1:${port}`,
  );
  const launch = (name: string, env: Record<string, string>): RunningCommand => {
    const all = { STOPGO_INTERNAL_TOKEN: token, STOPGO_STORE: atStore, ...env };
    const command = launchCommand(['service', name, '--config', config], { env: all });
    running.push(command);
    return command;
  };
  const others = [
    launch('store', { STOPGO_LISTEN: atStore }),
    // At the same time: both meet the servers for the first time.
    launch('mcp-bridge', { STOPGO_LISTEN: one }),
    launch('mcp-bridge', { STOPGO_LISTEN: two }),
    launch('approvals', { STOPGO_LISTEN: atApprovals, STOPGO_ORCHESTRATOR: atOrchestrator }),
  ];
  orchestrator = launch('orchestrator', { STOPGO_LISTEN: atOrchestrator, ...model.env });
  const gateway = launch('gateway', {
    STOPGO_ORCHESTRATOR: atOrchestrator,
    STOPGO_APPROVALS: atApprovals,
    STOPGO_MCP_BRIDGE: `${one},${two}`,
  });
  http = client(await said(gateway, /ready on (http:\S+)/));
  for (const other of [...others, orchestrator]) await said(other, /ready on (\S+)/);
  bridges = [one, two].map((address) => createGrpcClient(mcp.McpBridgeService, grpc(address)));
  log = createGrpcClient(store.StoreService, grpc(atStore));
  approvalsClient = createGrpcClient(approvals.ApprovalsService, grpc(atApprovals));
}, startMs);

afterAll(async () => {
  for (const close of closing) close();
  for (const { process: child } of running) child.kill('SIGKILL');
  await noneLeftOf(place.folder);
  await model.stop();
  place.remove();
}, startMs);

/** A call that the model asks for and that waits for an approval, and all that a forger could know of it. */
async function waiting(name: string) {
  const asked = await until('a message is taken', async () => {
    const answer = await http.post('/conversations', { message: `call erase ${JSON.stringify({ name })}` });
    return answer.status === 503 ? undefined : answer;
  });
  const { conversation, result } = asked.body;
  return {
    conversationId: conversation.id,
    runId: conversation.run?.id ?? '',
    approvalId: result.approval?.uuid ?? '',
  };
}

type Waiting = Awaited<ReturnType<typeof waiting>>;

/** The call as it would be sent, with all credentials right, but for the changes. */
async function forged(
  bridge: Bridge,
  { conversationId, runId, approvalId }: Waiting,
  name: string,
  change: { readonly attempt?: number; readonly instance?: string; readonly approvalId?: string } = {},
) {
  const { tools, instance } = await bridge.listTools({});
  const pin = tools.find((tool) => tool.name === 'erase')?.pin ?? '';
  const argumentsJson = JSON.stringify({ name });
  const call = { server: 'journaled', tool: 'erase', pin, argumentsJson };
  const { attempt = 1, ...others } = change;
  const key = { conversationId, runId, callId: 'root#1.0', attempt };
  const request = { key, instance, ...call, digest: callDigest(call), approvalId, ...others };
  return (await bridge.execute(request)).outcome;
}

const refusal = (outcome: mcp.ExecuteResponse['outcome']) =>
  outcome.case === 'refused' ? outcome.value.reason : outcome.case;

/** Events of a kind in the stream of a conversation. */
async function events(stream: string, kind: string) {
  const { events: all } = await log.readStream({ stream });
  return all.map(decodeRecorded).filter(({ fact }) => fact.case === kind);
}

test('a call that nobody asked for, approved or started is not made', async () => {
  const [bridge] = bridges as [Bridge];
  const call = await waiting('forged');
  const nowhere = { conversationId: randomUUID(), runId: randomUUID(), approvalId: randomUUID() };
  expect(refusal(await forged(bridge, nowhere, 'forged', { approvalId: '' }))).toBe(RefusedReason.NOT_APPROVED);
  expect(refusal(await forged(bridge, nowhere, 'forged', { attempt: 2 }))).toBe(RefusedReason.NOT_ON_RECORD);
  // The approval is there, and nobody has decided.
  expect(refusal(await forged(bridge, call, 'forged', { attempt: 2 }))).toBe(RefusedReason.NOT_APPROVED);
  expect(refusal(await forged(bridge, call, 'other', { attempt: 3 }))).toBe(RefusedReason.NOT_ON_RECORD);
  expect(refusal(await forged(bridge, { ...call, approvalId: randomUUID() }, 'forged', { attempt: 4 }))).toBe(
    RefusedReason.NOT_APPROVED,
  );
  expect(journal.began('erase', 'forged')).toBe(0);
  expect(journal.began('erase', 'other')).toBe(0);
  // What was refused was no attempt of the platform: the call goes on as if nothing had been.
  const done = await http.post(`/approvals/${call.approvalId}`, { approved: true });
  expect(done.body.result.response).toContain('erase forged');
  expect(journal.began('erase', 'forged')).toBe(1);
});

test('a call that ran runs no second time: not as it was, not as another attempt, at no bridge', async () => {
  const call = await waiting('once');
  await http.post(`/approvals/${call.approvalId}`, { approved: true });
  expect(journal.began('erase', 'once')).toBe(1);
  const [started] = await events(`conversation-${call.conversationId}`, 'toolCallStarted');
  const named = started?.fact.case === 'toolCallStarted' ? started.fact.value.bridgeInstance : '';
  for (const bridge of bridges) {
    const { instance } = await bridge.listTools({});
    const replayed = await forged(bridge, call, 'once');
    // The one that made it tells what came of it; to the other it is a call that is over.
    expect(refusal(replayed)).toBe(instance === named ? 'finished' : RefusedReason.NOT_ON_RECORD);
    expect(refusal(await forged(bridge, call, 'once', { attempt: 2 }))).toBe(RefusedReason.NOT_ON_RECORD);
    if (instance === named) continue;
    await expect(forged(bridge, call, 'once', { instance: named })).rejects.toMatchObject({
      details: { reason: 'wrong_instance' },
    });
  }
  expect(journal.began('erase', 'once')).toBe(1);
});

test('two bridges that meet a server at once accept it once, and go by what either is told to accept', async () => {
  const { streams } = await log.listStreams({ prefix: 'pins-' });
  expect(streams).toHaveLength(2);
  for (const stream of streams) {
    const { events: all } = await log.readStream({ stream });
    expect(all.map(decodeRecorded)).toMatchObject([{ revision: 1, fact: { case: 'toolServerMet' } }]);
  }
  for (const bridge of bridges) expect((await bridge.listHeldTools({})).tools).toEqual([]);
  // A second process of the same server has another definition: only the bridge that has it holds it back.
  const [first, second] = bridges as [Bridge, Bridge];
  const { instance } = await first.listTools({});
  const redefine = await first.listTools({}).then(({ tools }) => tools.find(({ name }) => name === 'redefine'));
  const key = { conversationId: randomUUID(), runId: randomUUID(), callId: 'root#1.0', attempt: 1 };
  const tool = { server: 'journaled', tool: 'redefine', pin: redefine?.pin ?? '' };
  await first.execute({ key, instance, ...tool, argumentsJson: '{"tool":"note","description":"Other"}' });
  const [held] = await until('it is held', async () => {
    const { tools } = await first.listHeldTools({});
    return tools.length > 0 ? tools : undefined;
  });
  const { name = '', pin = '' } = held?.tool ?? {};
  expect(name).toBe('note');
  const { servers } = await first.defineTools({ tools: [{ server: 'journaled', name, pin }] });
  const [{ identity, tools } = { identity: '', tools: [] }] = servers;
  const { revisions } = await approvalsClient.acceptTools({
    servers: [{ identity, tools }],
    actor: { id: 'ann', kind: 2 },
  });
  await first.learnAccepted({ servers: [{ identity, revision: revisions[0] ?? 0 }] });
  expect((await first.listHeldTools({})).tools).toEqual([]);
  await until('the other one knows', async () =>
    (await second.listHeldTools({})).tools.some((one) => one.acceptedPin === pin) ? true : undefined,
  );
});

test(
  'an approved call that no orchestrator has started is not made for anybody',
  async () => {
    const [bridge] = bridges as [Bridge];
    const call = await waiting('unstarted');
    orchestrator.process.kill('SIGKILL');
    await orchestrator.exited;
    expect((await http.post(`/approvals/${call.approvalId}`, { approved: true })).status).toBe(202);
    expect(refusal(await forged(bridge, call, 'unstarted'))).toBe(RefusedReason.NOT_ON_RECORD);
    expect(journal.began('erase', 'unstarted')).toBe(0);
  },
  startMs,
);
