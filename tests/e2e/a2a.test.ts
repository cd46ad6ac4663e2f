import { randomUUID } from 'node:crypto';
import { type Task, TaskState } from '@a2a-js/sdk';
import type { Client as A2AClient } from '@a2a-js/sdk/client';
import { TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { client03Of, clientOf, data, dataOf, said, task, text, textsOf } from './a2a.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** The official A2A client, and raw JSON in the dialect before it, against the real process. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
let agent: A2AClient;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, resourcesConfig(place), { env: model.env });
  http = client(platform.url);
  agent = await clientOf(platform.url);
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

const HITL = 'https://kagent.dev/extensions/hitl/v1';
const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState;

const stateOf = ({ status }: Task): TaskState | undefined => status?.state;

/** A task that waits for one approval, and the id of that. */
async function parked(name: string): Promise<{ readonly id: string; readonly approval: string; readonly task: Task }> {
  const waiting = task(await agent.sendMessage(said([text(`create a server ${name} with value 1`)])));
  expect(stateOf(waiting)).toBe(TASK_STATE_INPUT_REQUIRED);
  const [shown] = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string }[];
  return { id: waiting.id, approval: shown?.approval_id ?? '', task: waiting };
}

const resources = async (): Promise<string> =>
  (await http.post('/conversations', { message: 'list all resources' })).body.result.response;

describe('cards', () => {
  test('stand at both paths, in the version asked for', async () => {
    const tools = (await http.get('/tools')).body.tools.map(({ name }) => name);
    for (const path of ['/.well-known/agent.json', '/.well-known/agent-card.json']) {
      const card = JSON.parse((await http.get(path)).text);
      expect(card).toMatchObject({ name: 'tested', url: `${platform.url}/a2a/v1`, protocolVersion: '0.3.0' });
      expect(card.skills.map(({ id }: { readonly id: string }) => id)).toEqual(tools);
      const modern = JSON.parse((await http.get(path, { 'a2a-version': '1.0' })).text);
      expect(modern.supportedInterfaces[0]).toEqual({
        url: `${platform.url}/a2a`,
        protocolBinding: 'JSONRPC',
        protocolVersion: '1.0',
      });
      expect(modern).not.toHaveProperty('url');
    }
  });
});

describe('version 1.0, by the official client', () => {
  test('a message is answered; its task is a conversation, and is got again', async () => {
    const done = task(await agent.sendMessage(said([text('list all resources')])));
    expect(stateOf(done)).toBe(TASK_STATE_COMPLETED);
    expect(textsOf(done.artifacts[0]?.parts)).not.toBe('');
    expect((await http.get(`/conversations/${done.id}`)).status).toBe(200);
    const again = await agent.getTask({ tenant: '', id: done.id, historyLength: 10 });
    expect(again.artifacts).toEqual(done.artifacts);
    expect(textsOf(again.history[0]?.parts)).toBe('list all resources');
  });

  test('an approval is shown with all that it takes to decide', async () => {
    const { approval, task: waiting } = await parked('shown');
    const { status } = waiting;
    expect(textsOf(status?.message?.parts)).toContain(`Approval required (id: ${approval})`);
    expect(dataOf(status?.message?.parts)).toEqual([
      expect.objectContaining({
        approval_id: approval,
        tool: 'resources_add',
        arguments: { name: 'shown', value: 1 },
        choices: ['approve', 'reject'],
      }),
    ]);
  });

  test.each([
    ['a word', () => said([text('approved')])],
    ['a line with its id', (id: string) => said([text(`yes ${id}`)])],
    ['data', (id: string) => said([data({ approval_id: id, decision: 'approve' })])],
    [
      'the shape of hitl/v1',
      (id: string) =>
        said([text('ok then')], {
          metadata: { [HITL]: { type: 'tool_approval_response', approvals: [{ id, approved: true }] } },
        }),
    ],
  ])('is approved by %s, and the task goes on to its end', async (how, answer) => {
    const name = `by-${how.length}`;
    const { id, approval } = await parked(name);
    const request = answer(approval);
    const sent = { ...request, message: { ...request.message!, taskId: id } };
    const done = task(await agent.sendMessage(sent));
    expect([done.id, stateOf(done)]).toEqual([id, TASK_STATE_COMPLETED]);
    expect(await resources(), textsOf(done.artifacts[0]?.parts)).toContain(name);
    // The same message again changes nothing, and is no error.
    expect(task(await agent.sendMessage(sent))).toEqual(done);
    await expect(agent.sendMessage(said([text('and now?')], { taskId: id }))).rejects.toThrow(
      UnsupportedOperationError,
    );
  });

  test('is rejected by a word', async () => {
    const { id } = await parked('rejected');
    const done = task(await agent.sendMessage(said([text('no')], { taskId: id })));
    expect(stateOf(done)).toBe(TASK_STATE_COMPLETED);
    expect(await resources()).not.toContain('rejected');
  });

  test('what is no decision asks again, and names the ways to decide', async () => {
    const { id, approval } = await parked('asked-again');
    const asked = task(await agent.sendMessage(said([text('hmm, what would it do?')], { taskId: id })));
    expect(stateOf(asked)).toBe(TASK_STATE_INPUT_REQUIRED);
    expect(textsOf(asked.status?.message?.parts)).toContain(`yes ${approval}`);
    expect((await http.get(`/approvals/${approval}`)).text).toContain('"status":"pending"');
  });

  test('with two approvals pending a plain word decides neither', async () => {
    const waiting = task(await agent.sendMessage(said([text('create duo-a with value 1 and duo-b with value 2')])));
    const shown = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string }[];
    expect(shown).toHaveLength(2);
    const asked = task(await agent.sendMessage(said([text('yes')], { taskId: waiting.id })));
    expect(dataOf(asked.status?.message?.parts)).toHaveLength(2);
    const [first, second] = shown.map(({ approval_id: id }) => id);
    const done = task(await agent.sendMessage(said([text(`yes ${first}\nno ${second}`)], { taskId: waiting.id })));
    expect(stateOf(done)).toBe(TASK_STATE_COMPLETED);
    const listed = await resources();
    expect(listed).toContain('duo-a');
    expect(listed).not.toContain('duo-b');
  });

  test('a task that is not there, one of another context, and an approval of another task are refused', async () => {
    await expect(agent.getTask({ tenant: '', id: randomUUID() })).rejects.toThrow(TaskNotFoundError);
    await expect(agent.getTask({ tenant: '', id: '../conversations' })).rejects.toThrow(TaskNotFoundError);
    const { id } = await parked('own');
    const other = await parked('others');
    await expect(agent.sendMessage(said([text('yes')], { taskId: id, contextId: 'another' }))).rejects.toThrow(
      'context',
    );
    const foreign = said([data({ approval_id: other.approval, approved: true })], { taskId: id });
    await expect(agent.sendMessage(foreign)).rejects.toThrow('none of this task');
    expect((await http.get(`/approvals/${other.approval}`)).text).toContain('"status":"pending"');
  });
});

describe('version 0.3, by the official client', () => {
  test('an approval pauses the task, and a word lets it go on', async () => {
    const peer = client03Of(platform.url);
    const waiting = task(await peer.sendMessage(said([text('create a server older with value 3')])));
    expect(stateOf(waiting)).toBe(TASK_STATE_INPUT_REQUIRED);
    expect(stateOf(await peer.getTask({ tenant: '', id: waiting.id }))).toBe(TASK_STATE_INPUT_REQUIRED);
    const done = task(await peer.sendMessage(said([text('yes')], { taskId: waiting.id })));
    expect(stateOf(done)).toBe(TASK_STATE_COMPLETED);
    await expect(peer.sendMessage(said([text('more')], { taskId: waiting.id }))).rejects.toThrow(
      UnsupportedOperationError,
    );
  });
});

describe('the dialect before 0.3, in raw JSON', () => {
  const call = async (method: string, params: unknown, path = '/a2a') => {
    const answer = await http.post(path, { jsonrpc: '2.0', id: 7, method, params });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text);
  };
  const send = (words: string, taskId?: string) =>
    call('message/send', {
      ...(taskId === undefined ? {} : { taskId }),
      message: { role: 'user', parts: [{ type: 'text', text: words }] },
    });

  test('a message that changes nothing is completed, with one artifact; the task goes on', async () => {
    const { id, result } = await send('list all resources');
    expect(id).toBe(7);
    expect(result).toEqual({
      id: expect.any(String),
      status: { state: 'completed' },
      artifact: { parts: [{ type: 'text', text: expect.any(String) }] },
      artifacts: [result.artifact],
    });
    expect((await call('tasks/get', { id: result.id })).result).toEqual(result);
    const more = await send('list all resources', result.id);
    expect([more.result.id, more.result.status.state]).toEqual([result.id, 'completed']);
  });

  test('a change waits for a yes', async () => {
    const { result } = await send('create a server ancient with value 3');
    expect(result.status.state).toBe('input-required');
    expect(result.status.message).toMatch(/^Approval required \(id: [0-9a-f-]{36}\): /);
    expect((await call('tasks/get', { id: result.id })).result).toEqual(result);
    const { result: done } = await send('approved', result.id);
    expect([done.id, done.status.state]).toEqual([result.id, 'completed']);
    expect(await resources()).toContain('ancient');
  });

  test('a task that was not started over A2A is shown in 0.3, with the artifact besides', async () => {
    const { conversation } = (await http.post('/conversations', { message: 'list all resources' })).body;
    const { result } = await call('tasks/get', { id: conversation.id });
    expect(result).toMatchObject({ kind: 'task', contextId: conversation.id, status: { state: 'completed' } });
    expect(result.artifact.parts).toEqual([{ type: 'text', text: result.artifacts[0].parts[0].text }]);
    const own = task(await client03Of(platform.url).sendMessage(said([text('list all resources')])));
    expect((await call('tasks/get', { id: own.id })).result).not.toHaveProperty('artifact');
  });

  test('an envelope of JSON-RPC is answered with one at the addresses of HTTP+JSON, too', async () => {
    const { result } = await send('create a server enveloped with value 3');
    const decided = await call(
      'message/send',
      {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          taskId: result.id,
          parts: [{ kind: 'text', text: 'no' }],
        },
      },
      '/message:send',
    );
    expect(decided).toMatchObject({ jsonrpc: '2.0', id: 7, result: { id: result.id, status: { state: 'completed' } } });
    const late = await call('tasks/cancel', { id: result.id }, `/tasks/${result.id}:cancel`);
    expect(late.error.code).toBe(-32002);
    expect((await call('nothing', {}, '/message:send')).error.code).toBe(-32601);
  });

  test('whatever is no yes is a no', async () => {
    const { result } = await send('create a server doubtful with value 3');
    const { result: done } = await send('hmm, what would it do?', result.id);
    expect(done.status.state).toBe('completed');
    expect(await resources()).not.toContain('doubtful');
  });

  test('errors have their codes and words', async () => {
    const broken = await http.post('/a2a', '{"jsonrpc":', { 'content-type': 'application/json' });
    expect([broken.status, JSON.parse(broken.text).error]).toEqual([200, { code: -32700, message: 'Parse error' }]);
    expect((await call('tasks/list', {})).error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: 'A2A 0.3 has no method tasks/list',
    });
    const id = randomUUID();
    expect((await call('tasks/get', { id })).error).toEqual({ code: -32602, message: `Task not found: ${id}` });
    expect((await send('hello', id)).error).toEqual({ code: -32602, message: `Task not found: ${id}` });
    const empty = await call('message/send', { message: { role: 'user', parts: [] } });
    expect(empty.error).toEqual({ code: -32602, message: 'No text part in message' });
  });
});
