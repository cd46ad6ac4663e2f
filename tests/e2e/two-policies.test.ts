import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecorded, type RecordedFact } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient } from '@stopgo/rpc';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { launchCommand, type RunningCommand, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';
import { sendJson } from './send-json.ts';

/** Two orchestrators whose files hold other rules, each behind a gateway of its own: as in the middle of a change of the file. */
const startMs = 120_000;

/** By the first file two of three decide on what the second lets run; by the second one decides on what the first lets run. */
const rules = {
  strict: [{ name: 'two', tool: 'pay', verdict: 'ask', approvers: '2 of [user:carl, user:dora, user:eve]' }],
  mild: [
    { name: 'free', tool: 'pay', verdict: 'allow' },
    { name: 'look', tool: 'whoami', verdict: 'ask', approvers: ['user:eve'] },
  ],
} as const;
type File = keyof typeof rules;

/** An orchestrator with a gateway that knows no other. */
type Side = { orchestrator: RunningCommand; readonly url: string; anew(): Promise<void> };

let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let log: Client<typeof store.StoreService>;
let sides: Readonly<Record<File, Side>>;
const running: RunningCommand[] = [];
const closing: (() => void)[] = [];

const said = (command: RunningCommand, what: RegExp): Promise<string> =>
  until(`${what}`, async () => what.exec(command.output())?.[1], startMs);

/** A service with one of the files, once it is ready; with where it listens. */
async function service(name: string, of: File, env: Readonly<Record<string, string>>): Promise<RunningCommand> {
  const command = launchCommand(['service', name, '--config', join(place.folder, `${of}.json`)], { env });
  running.push(command);
  await said(command, /ready on (\S+)/);
  return command;
}

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  for (const [of, approvals] of Object.entries(rules)) {
    const servers = { mcp_servers: [{ name: 'bank', url: tools.url }], approvals: { rules: approvals } };
    const file = { name: 'tested', host: '127.0.0.1', port: 0, data_dir: place.dataDir, ...servers };
    writeFileSync(join(place.folder, `${of}.json`), JSON.stringify(file));
  }
  const ports = await freePorts(5);
  const [atStore = '', atBridge = '', atApprovals = '', ...at] = ports.map((port) => `127.0.0.1:${port}`);
  const env = { STOPGO_STORE: atStore, STOPGO_MCP_BRIDGE: atBridge, STOPGO_APPROVALS: atApprovals };
  await service('store', 'strict', { STOPGO_LISTEN: atStore });
  const side = async (of: File, address: string): Promise<Side> => {
    const start = () => service('orchestrator', of, { ...env, ...model.env, STOPGO_LISTEN: address });
    const orchestrator = await start();
    const gateway = await service('gateway', of, { ...env, STOPGO_ORCHESTRATOR: address });
    const made: Side = {
      orchestrator,
      url: await said(gateway, /ready on (http:\S+)/),
      anew: async () => {
        made.orchestrator = await start();
      },
    };
    return made;
  };
  const [strict, mild] = await Promise.all([
    side('strict', at[0] ?? ''),
    side('mild', at[1] ?? ''),
    service('mcp-bridge', 'strict', { ...env, STOPGO_LISTEN: atBridge }),
    service('approvals', 'strict', { ...env, STOPGO_ORCHESTRATOR: at.join(), STOPGO_LISTEN: atApprovals }),
  ]);
  sides = { strict, mild };
  const channel = connectGrpc(atStore);
  closing.push(() => channel.close());
  log = createGrpcClient(store.StoreService, channel);
}, startMs);

afterAll(async () => {
  for (const close of closing) close();
  for (const { process: child } of running) child.kill('SIGKILL');
  await noneLeftOf(place.folder);
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
}, startMs);

beforeEach(() => {
  tools.calls.length = 0;
});

const send = (side: File, path: string, body?: object, by = 'ann') =>
  sendJson(new URL(path, sides[side].url), body === undefined ? 'GET' : 'POST', { 'x-approver': by }, body);

/** What the model asks for, a call an answer; then it has nothing more to say. */
const says = (...names: readonly string[]) =>
  model.script(...names.map((name) => ({ match: 'go', calls: [{ name }] })), { match: 'go', text: 'That is that.' });

/** Asked until it is taken: a gateway may not know yet that its orchestrator is there again. */
const asked = (side: File, path = '/conversations', message = 'go') =>
  until('a message is taken', async () => {
    const { status, json } = await send(side, path, { message });
    return status === 503 ? undefined : (json.conversation.id as string);
  });

/** A run by its own rules, before it sees any of the other's. */
async function begun(side: File): Promise<void> {
  await ended(side, await asked(side, '/conversations', 'hello'));
}

/** Its process is gone, as if the machine were. */
async function killed(side: File): Promise<void> {
  sides[side].orchestrator.process.kill('SIGKILL');
  await sides[side].orchestrator.exited;
}

const called = () => tools.calls.map(({ tool }) => tool);

/** What waits in a conversation, once another than that does. */
const waiting = (side: File, conversation: string, before = '') =>
  until(
    'something waits',
    async () => {
      const { json } = await send(side, `/conversations/${conversation}`);
      const { uuid = before } = json.conversation.pending_approval ?? {};
      return uuid === before ? undefined : (uuid as string);
    },
    startMs,
  );

const ended = (side: File, conversation: string) =>
  until('the run is over', async () => {
    const { json } = await send(side, `/conversations/${conversation}`);
    return json.conversation.run.status === 'completed' ? true : undefined;
  });

const decided = async (side: File, approval: string, by: string) =>
  (await send(side, `/approvals/${approval}`, { approved: true }, by)).status;

const shown = async (side: File, approval: string) => (await send(side, `/approvals/${approval}`)).json.approval;

async function eventsOf(stream: string): Promise<readonly RecordedFact[]> {
  const { events } = await log.readStream({ stream });
  return events.map(decodeRecorded);
}

type Run = {
  readonly policy: string;
  readonly drivers: string[];
  readonly judged: [tool: string, rule: string, policy: string][];
};

/** The runs of a conversation: their policy, who drove them, and by what each call was judged. */
async function runsOf(conversation: string): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const { fact } of await eventsOf(`conversation-${conversation}`)) {
    const run = runs.at(-1);
    if (fact.case === 'runStarted')
      runs.push({ policy: fact.value.policyDigest, drivers: [fact.value.owner?.instance ?? ''], judged: [] });
    if (fact.case === 'runClaimed') run?.drivers.push(fact.value.owner?.instance ?? '');
    if (fact.case === 'modelResponded')
      run?.judged.push(
        ...fact.value.calls.map(({ tool, rule, policyDigest }): Run['judged'][number] => [tool, rule, policyDigest]),
      );
  }
  return runs;
}

/** The streams that are no conversation's, and how long each is. */
async function others(): Promise<readonly string[]> {
  const { streams } = await log.listStreams({});
  const named = streams.filter((stream) => !stream.startsWith('conversation-'));
  return Promise.all(named.map(async (stream) => `${stream} ${(await eventsOf(stream)).length}`));
}

test('a run keeps the rules that it began with, whoever drives it on', { timeout: startMs }, async () => {
  await begun('mild');
  await says('pay', 'pay');
  const conversation = await asked('strict');
  const first = await waiting('strict', conversation);
  await killed('strict');
  expect(await shown('mild', first)).toMatchObject({ status: 'pending', votes_needed: 2 });
  expect(await decided('mild', first, 'ann')).toBe(403);
  await decided('mild', first, 'carl');
  expect(await shown('mild', first)).toMatchObject({ status: 'pending', votes: [{ by: 'carl' }] });
  expect(called()).toEqual([]);
  await decided('mild', first, 'dora');
  // The model asks for the like again, and is answered where the file would let it run.
  const second = await waiting('mild', conversation, first);
  expect(called()).toEqual(['pay']);
  expect(await shown('mild', second)).toMatchObject({ status: 'pending', votes_needed: 2, votes: [] });
  for (const by of ['dora', 'eve']) await decided('mild', second, by);
  await ended('mild', conversation);
  expect(called()).toEqual(['pay', 'pay']);

  // What is asked next is a run of its own, by the rules of whoever begins it.
  await says('pay');
  await asked('mild', `/conversations/${conversation}/messages`);
  await ended('mild', conversation);
  expect(called()).toEqual(['pay', 'pay', 'pay']);
  const [kept, next] = (await runsOf(conversation)) as [Run, Run];
  expect(new Set(kept.drivers).size).toBe(2);
  expect(kept.judged).toEqual([
    ['pay', 'two', kept.policy],
    ['pay', 'two', kept.policy],
  ]);
  expect(next.judged).toEqual([['pay', 'free', next.policy]]);
  expect(next.policy).not.toBe(kept.policy);
});

test('a replica that starts with another file changes nothing that is on the record', {
  timeout: startMs,
}, async () => {
  await says('whoami', 'pay');
  const conversation = await asked('mild');
  const look = await waiting('mild', conversation);
  const before = { streams: await others(), events: await eventsOf(`conversation-${conversation}`) };
  await sides.strict.anew();
  await killed('mild');
  await sides.mild.anew();
  await killed('mild');
  expect(await others()).toEqual(before.streams);
  expect(await eventsOf(`conversation-${conversation}`)).toEqual(before.events);
  expect(before.streams.filter((stream) => stream.startsWith('policy-'))).toEqual([
    expect.stringMatching(/ 1$/),
    expect.stringMatching(/ 1$/),
  ]);

  await begun('strict');
  expect(await decided('strict', look, 'carl')).toBe(403);
  await decided('strict', look, 'eve');
  await ended('strict', conversation);
  expect(called(), 'what the rules of the run let run').toEqual(['whoami', 'pay']);
  await model.script({ match: 'go', calls: [{ name: 'pay' }] });
  await asked('strict', `/conversations/${conversation}/messages`);
  await waiting('strict', conversation);
  const [kept, next] = (await runsOf(conversation)) as [Run, Run];
  expect(kept.judged).toEqual([
    ['whoami', 'look', kept.policy],
    ['pay', 'free', kept.policy],
  ]);
  expect(next.judged).toEqual([['pay', 'two', next.policy]]);
  expect(await others()).toEqual(before.streams);
});

test('an answer that its driver did not live to judge is judged by the same rules', { timeout: startMs }, async () => {
  await sides.mild.anew();
  await begun('mild');
  await model.script({ match: 'go', hang: true }, { match: 'go', calls: [{ name: 'pay' }] });
  const { json } = await send('strict', '/conversations', {});
  const conversation: string = json.conversation.id;
  const count = (await model.requests()).length;
  const cut = send('strict', `/conversations/${conversation}/messages`, { message: 'go' }).catch(() => undefined);
  await until('the model is asked', async () => ((await model.requests()).length > count ? true : undefined));
  await killed('strict');
  const approval = await waiting('mild', conversation);
  expect(await shown('mild', approval)).toMatchObject({ votes_needed: 2 });
  const [run] = (await runsOf(conversation)) as [Run];
  expect(new Set(run.drivers).size).toBe(2);
  expect(run.judged).toEqual([['pay', 'two', run.policy]]);
  await model.release();
  await cut;
});
