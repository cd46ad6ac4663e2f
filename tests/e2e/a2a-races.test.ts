import { randomUUID } from 'node:crypto';
import { type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import type { Client as A2AClient } from '@a2a-js/sdk/client';
import { TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, dataOf, said, task, text } from './a2a.ts';
import { STORY_PEERS, type StoryPeer } from './a2a-peers.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';
import { topology } from './topology.ts';

/** Several peers, or one who repeats itself, at one task; and the operations that end and list tasks. */
const BODY_BYTES_MAX = 1024 * 1024;

let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
let agents: readonly A2AClient[];
/** One of each official SDK, in each version and over each transport, at each gateway in turn. */
let peers: readonly StoryPeer[];

const args = topology === 'services' ? ['--replicas', 'gateway=2,orchestrator=2'] : [];

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(
    place,
    resourcesConfig(place, `a2a_grpc_port: 0\nlimits:\n  body_bytes: ${BODY_BYTES_MAX}\n`),
    {
      env: model.env,
      args,
    },
  );
  http = client(platform.url);
  agents = await Promise.all(platform.urls.flatMap((url) => [clientOf(url), clientOf(url)]));
  const urlAt = (index: number) => platform.urls[index % platform.urls.length] ?? '';
  peers = await Promise.all(Object.values(STORY_PEERS).map((connect, index) => connect(urlAt(index))));
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

const agentAt = (index: number): A2AClient => agents[index % agents.length]!;
const send = async (request: SendMessageRequest, at = 0, headers?: Record<string, string>): Promise<Task> =>
  task(await agentAt(at).sendMessage(request, headers === undefined ? {} : { serviceParameters: headers }));
const stateOf = ({ status }: Task): string => TaskState[status?.state ?? 0] ?? 'unknown';

async function parked(name: string): Promise<{ readonly id: string; readonly approval: string }> {
  const waiting = await send(said([text(`create a server ${name} with value 1`)]));
  const [shown] = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string }[];
  return { id: waiting.id, approval: shown?.approval_id ?? '' };
}

/** How often a tool's result stands in the conversation behind a task. */
async function results(id: string): Promise<number> {
  const { body } = await http.get(`/conversations/${id}`);
  return body.conversation.messages.filter(({ role }) => role === 'tool').length;
}

const get = (id: string): Promise<Task> => agentAt(1).getTask({ tenant: '', id });

/** Each peer with the next one, which speaks otherwise and, where there are two gateways, to the other. */
const pairs = (): readonly (readonly [StoryPeer, StoryPeer])[] =>
  peers.map((peer, index) => [peer, peers[(index + 1) % peers.length]!]);

test('of two decisions at once one wins, and the other is told', async () => {
  for (const [index, pair] of pairs().entries()) {
    const { id, approval } = await parked(`raced-${index}`);
    const outcomes = await Promise.allSettled(
      ['yes', 'no'].map((word, at) => pair[at]!.send({ text: `${word} ${approval}`, taskId: id })),
    );
    const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.state] : []));
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect([won, lost.length]).toEqual([['completed'], 1]);
    const [, decision] = / is settled: (approved|rejected) by anonymous at /.exec(String(lost[0])) ?? [];
    expect(decision).toBeDefined();
    expect(await results(id)).toBe(decision === 'approved' ? 1 : 0);
  }
});

test('the same message, by all of them at once, is one decision and one call', async () => {
  const { id } = await parked('repeated');
  const saying = { text: 'yes', taskId: id, messageId: randomUUID() };
  const done = await Promise.all(peers.map((peer) => peer.send(saying)));
  expect(new Set(done.map(({ id: one }) => one))).toEqual(new Set([id]));
  // Who comes while the call is made may be told that the task works on it.
  for (const { state } of done) expect(['completed', 'working']).toContain(state);
  expect(stateOf(await get(id))).toBe('TASK_STATE_COMPLETED');
  expect(await results(id)).toBe(1);
});

test('a first message with a key of its own is one task; without one it is a new task each time', async () => {
  const first = said([text('list all resources')]);
  const keyed = { 'idempotency-key': randomUUID() };
  const [one, same] = await Promise.all([send(first, 0, keyed), send(first, 1, keyed)]);
  expect(same.id).toBe(one.id);
  expect((await send(first, 0, keyed)).id).toBe(one.id);
  await expect(send(said([text('something else')]), 0, keyed)).rejects.toThrow('Idempotency-Key');
  expect((await send(first)).id).not.toBe((await send(first)).id);
});

test('a canceled task stays canceled; one that has ended otherwise cannot be canceled', async () => {
  const { id, approval } = await parked('canceled');
  for (const at of [0, 1])
    expect(stateOf(await agentAt(at).cancelTask({ tenant: '', id, metadata: undefined }))).toBe('TASK_STATE_CANCELED');
  await expect(send(said([text(`yes ${approval}`)], { taskId: id }))).rejects.toThrow(UnsupportedOperationError);
  expect(await results(id)).toBe(0);
  const done = await send(said([text('list all resources')]));
  const cancel = agentAt(0).cancelTask({ tenant: '', id: done.id, metadata: undefined });
  await expect(cancel).rejects.toThrow(TaskNotCancelableError);
});

test('a cancel and a yes at once leave one truth', async () => {
  for (const [index, [decider, canceler]] of pairs().entries()) {
    const { id, approval } = await parked(`torn-${index}`);
    const [decided, canceled] = await Promise.allSettled([
      decider.send({ text: `yes ${approval}`, taskId: id }),
      canceler.cancel(id),
    ]);
    const end = stateOf(await get(id));
    expect(end).toBe(canceled.status === 'fulfilled' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED');
    if (canceled.status === 'rejected') expect(canceled.reason).toMatchObject({ name: 'TaskNotCancelableError' });
    if (canceled.status === 'rejected') expect(decided.status).toBe('fulfilled');
    expect(await results(id)).toBeLessThanOrEqual(1);
  }
});

test('tasks are listed in pages, and by state', async () => {
  const { id } = await parked('listed');
  const list = (more: object) =>
    agentAt(0).listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
      ...more,
    });
  const waiting = await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED });
  expect(waiting.tasks.map((one) => one.id)).toContain(id);
  expect(new Set(waiting.tasks.map(stateOf))).toEqual(new Set(['TASK_STATE_INPUT_REQUIRED']));
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await list({ pageSize: 3, pageToken });
    seen.push(...page.tasks.map((one) => one.id));
    for (const one of page.tasks) expect(one.artifacts).toEqual([]);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  const { totalSize } = await list({});
  expect([new Set(seen).size, seen.length]).toEqual([totalSize, totalSize]);
  await expect(list({ pageSize: 101 })).rejects.toThrow('pageSize');
});

test.each([
  ['an unknown version', { method: 'SendMessage' }, { 'a2a-version': '9.9' }, -32009],
  ['an unknown method', { method: 'Explode' }, { 'a2a-version': '1.0' }, -32601],
  ['a method of another version', { method: 'message/send', params: {} }, { 'a2a-version': '1.0' }, -32601],
  ['no message', { method: 'SendMessage', params: {} }, {}, -32602],
  [
    'no parts',
    { method: 'SendMessage', params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } } },
    {},
    -32602,
  ],
  [
    'a file',
    {
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ url: 'https://x.test/' }] } },
    },
    {},
    -32005,
  ],
  [
    'parts that are none',
    { method: 'message/send', params: { message: { kind: 'message', messageId: 'm', role: 'user', parts: 7 } } },
    {},
    -32602,
  ],
  ['a list of requests', [{ method: 'SendMessage' }], {}, -32600],
  ['too much', { method: 'SendMessage', params: { x: 'x'.repeat(BODY_BYTES_MAX) } }, {}, -32600],
  [
    'a push configuration of a task that is not there',
    { method: 'CreateTaskPushNotificationConfig', params: { taskId: 't', url: 'http://x.test' } },
    {},
    -32001,
  ],
] as const)(
  '%s is refused in the words of the protocol, and nothing is created',
  async (_what, request, headers, code) => {
    const before = (await http.get('/conversations')).body.summary.total;
    const body = Array.isArray(request) ? request : { jsonrpc: '2.0', id: 'r-1', ...request };
    const answer = await http.post('/a2a', body, headers);
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([200, code]);
    expect(answer.text).not.toMatch(/at .*\.(ts|js):\d+/);
    expect((await http.get('/conversations')).body.summary.total).toBe(before);
  },
);
