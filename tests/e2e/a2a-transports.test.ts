import { randomUUID } from 'node:crypto';
import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { data, dataOf, PEERS, type Peer, said, task, text, textsOf } from './a2a.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** The same story in each version over each transport, by the official SDK. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, resourcesConfig(place, 'a2a_grpc_port: 0\n'), { env: model.env });
  http = client(platform.url);
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

const stateOf = ({ status }: Task): string => TaskState[status?.state ?? 0] ?? 'unknown';

/** The kinds and states of a stream's events. */
async function told(stream: AsyncGenerator<StreamResponse, void>): Promise<string[]> {
  const all: string[] = [];
  for await (const { payload } of stream) {
    const state =
      payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
    all.push(state === undefined ? (payload?.$case ?? 'nothing') : (TaskState[state] ?? 'unknown'));
  }
  return all;
}

describe.each(Object.entries(PEERS))('version %s', (how, connect) => {
  let peer: Peer;
  const named = (name: string) => `${name}-${how.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`;

  beforeAll(async () => {
    peer = await connect(platform.url);
  });

  test('a change waits for approval, asks again for what is no answer, and goes on after a yes', async () => {
    const name = named('made');
    const waiting = task(await peer.sendMessage(said([text(`create a server ${name} with value 1`)])));
    expect(stateOf(waiting)).toBe('TASK_STATE_INPUT_REQUIRED');
    const [shown] = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string; readonly tool: string }[];
    expect(shown?.tool).toBe('resources_add');
    const asked = task(await peer.sendMessage(said([text('why?')], { taskId: waiting.id })));
    expect(textsOf(asked.status?.message?.parts)).toContain(`yes ${shown?.approval_id}`);
    const answer = said([data({ approval_id: shown?.approval_id, approved: true })], { taskId: waiting.id });
    const done = task(await peer.sendMessage(answer));
    expect([done.id, stateOf(done)]).toEqual([waiting.id, 'TASK_STATE_COMPLETED']);
    const again = await peer.getTask({ tenant: '', id: done.id, historyLength: 1 });
    expect([stateOf(again), again.artifacts, again.history.length]).toEqual([stateOf(done), done.artifacts, 1]);
    await expect(peer.sendMessage(said([text('more')], { taskId: done.id }))).rejects.toThrow(
      UnsupportedOperationError,
    );
    expect((await http.post('/conversations', { message: 'list all resources' })).body.result.response).toContain(name);
  });

  test('streams a message, and a parked task until its end', async () => {
    const done = await told(peer.sendMessageStream(said([text('list all resources')])));
    expect(done.slice(-2)).toEqual(['artifactUpdate', 'TASK_STATE_COMPLETED']);
    const waiting = task(await peer.sendMessage(said([text(`create a server ${named('followed')} with value 1`)])));
    const stream = peer.resubscribeTask({ tenant: '', id: waiting.id });
    expect((await stream.next()).value).toMatchObject({ payload: { $case: 'task' } });
    const rest = told(stream);
    await peer.sendMessage(said([text('no')], { taskId: waiting.id }));
    expect(await rest).toEqual(['TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_COMPLETED']);
    await expect(told(peer.resubscribeTask({ tenant: '', id: waiting.id }))).rejects.toThrow(UnsupportedOperationError);
  });

  test('cancels, and says what cannot be done', async () => {
    const waiting = task(await peer.sendMessage(said([text(`create a server ${named('canceled')} with value 1`)])));
    const cancel = (id: string) => peer.cancelTask({ tenant: '', id, metadata: undefined });
    for (const _twice of [1, 2]) expect(stateOf(await cancel(waiting.id))).toBe('TASK_STATE_CANCELED');
    const done = task(await peer.sendMessage(said([text('list all resources')])));
    await expect(cancel(done.id)).rejects.toThrow(TaskNotCancelableError);
    await expect(peer.getTask({ tenant: '', id: randomUUID() })).rejects.toThrow(TaskNotFoundError);
    await expect(cancel('../../approvals')).rejects.toThrow();
  });
});

test('HTTP+JSON lists tasks, by state in either spelling', async () => {
  const waiting = (await http.post('/conversations', { message: 'create a server shown with value 1' })).body
    .conversation.id;
  for (const status of ['input-required', 'TASK_STATE_INPUT_REQUIRED']) {
    const answer = await http.get(`/tasks?status=${status}&pageSize=100`);
    expect(answer.headers.get('content-type')).toBe('application/a2a+json');
    const { tasks, nextPageToken } = JSON.parse(answer.text);
    expect(tasks.map(({ id }: { readonly id: string }) => id)).toContain(waiting);
    expect(nextPageToken).toBe('');
  }
});

test.each([
  ['GET', '/tasks?status=asleep', undefined, {}, 400],
  ['GET', '/tasks?pageSize=0', undefined, {}, 400],
  ['GET', `/tasks/${randomUUID()}`, undefined, {}, 404],
  ['GET', '/tasks/%2e%2e%2fconversations', undefined, {}, 404],
  ['GET', `/tasks/${randomUUID()}?historyLength=-1`, undefined, {}, 400],
  ['GET', '/tasks', undefined, { 'a2a-version': '7.0' }, 400],
  ['POST', '/message:send', '{"message":', {}, 400],
  ['POST', '/message:send', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } }, {}, 400],
  ['POST', '/message:send', { tenant: 'foreign', message: { messageId: 'm', parts: [{ text: 'x' }] } }, {}, 400],
  [
    'POST',
    '/v1/message:send',
    { request: { messageId: 'm', content: [{ file: { fileWithUri: 'http://x' } }] } },
    {},
    400,
  ],
] as const)('%s %s is refused, and nothing is created', async (method, path, body, headers, status) => {
  const before = (await http.get('/conversations')).body.summary.total;
  const answer = method === 'GET' ? await http.get(path, headers) : await http.post(path, body, headers);
  expect(answer.status).toBe(status);
  const { error = JSON.parse(answer.text) } = JSON.parse(answer.text);
  expect(error.message).toEqual(expect.any(String));
  expect((await http.get('/conversations')).body.summary.total).toBe(before);
});
