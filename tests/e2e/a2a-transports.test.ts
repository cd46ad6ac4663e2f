import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SeenEvent, STORY_PEERS, type StoryPeer } from './a2a-peers.ts';
import { type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** The same stories by each official SDK, in each version and over each transport. */
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

const HITL = 'https://kagent.dev/extensions/hitl/v1';

const resources = async (): Promise<string> =>
  (await http.post('/conversations', { message: 'list all resources' })).body.result.response;

const conversations = async (): Promise<number | undefined> => (await http.get('/conversations')).body.summary.total;

async function told(stream: AsyncGenerator<SeenEvent, void>): Promise<string[]> {
  const all: string[] = [];
  for await (const { kind, tells } of stream) all.push(kind === 'artifact' ? kind : `${kind} ${tells}`);
  return all;
}

describe.each(Object.entries(STORY_PEERS))('the SDK %s', (how, connect) => {
  let peer: StoryPeer;
  let parkedCount = 0;

  beforeAll(async () => {
    peer = await connect(platform.url);
  });

  /** A task that waits for one approval, the name of what it makes, and the id of the approval. */
  async function parked(): Promise<{ readonly id: string; readonly name: string; readonly approval: string }> {
    parkedCount += 1;
    const name = `made-${how.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}-${parkedCount}-end`;
    const waiting = await peer.send({ text: `create a server ${name} with value 1` });
    expect(waiting.state).toBe('input-required');
    const [shown] = waiting.shown as { readonly approval_id: string }[];
    const approval = shown?.approval_id ?? '';
    expect(waiting.says).toContain(`Approval required (id: ${approval})`);
    expect(waiting.shown).toEqual([
      expect.objectContaining({
        approval_id: approval,
        tool: 'resources_add',
        arguments: { name, value: 1 },
        choices: ['approve', 'reject'],
      }),
    ]);
    return { id: waiting.id, name, approval };
  }

  test('a message is answered, and its task is got again', async () => {
    const done = await peer.send({ text: 'list all resources' });
    expect([done.state, done.results]).toEqual(['completed', [expect.stringMatching(/./)]]);
    const again = await peer.get(done.id, 10);
    expect([again.state, again.contextId, again.results]).toEqual([done.state, done.contextId, done.results]);
    expect(again.history[0]).toBe('list all resources');
    expect((await peer.get(done.id, 1)).history).toHaveLength(1);
  });

  test.each<
    [string, (approval: string) => { readonly text?: string; readonly data?: unknown; readonly metadata?: object }]
  >([
    ['a plain word', () => ({ text: 'approved' })],
    ['a line with its id', (id) => ({ text: `yes ${id}` })],
    ['data', (id) => ({ data: { approval_id: id, approved: true } })],
    ['data as our own agents send it', (id) => ({ data: { kind: 'decision', approval_id: id, decision: 'approve' } })],
    [
      'the shape of hitl/v1 in the metadata',
      (id) => ({
        text: 'ok then',
        metadata: { [HITL]: { type: 'tool_approval_response', approvals: [{ id, approved: true }] } },
      }),
    ],
    [
      'the shape of hitl/v1 in data',
      (id) => ({ data: { type: 'tool_approval_response', approvals: [{ id, approved: true }] } }),
    ],
  ])('a change waits, goes on after %s, and takes that once', async (_how, answer) => {
    const { id, name, approval } = await parked();
    const saying = { ...answer(approval), taskId: id, messageId: randomUUID() } as Parameters<StoryPeer['send']>[0];
    const done = await peer.send(saying);
    expect([done.id, done.state, done.results.length]).toEqual([id, 'completed', 1]);
    expect(await resources()).toContain(name);
    expect(await peer.send(saying)).toEqual(done);
    await expect(peer.send({ text: 'and now?', taskId: id })).rejects.toThrow('has ended');
  });

  test('what is no decision asks again, and a no changes nothing', async () => {
    const { id, name, approval } = await parked();
    const asked = await peer.send({ text: 'why?', taskId: id });
    expect([asked.state, asked.says]).toEqual(['input-required', expect.stringContaining(`yes ${approval}`)]);
    const done = await peer.send({ text: `no ${approval}`, taskId: id });
    expect([done.state, done.results]).toEqual(['completed', ['Operation cancelled by user.']]);
    expect(await resources()).not.toContain(name);
    // Said too late, and of what is settled: the peer is told who decided what.
    await expect(peer.send({ text: `yes ${approval}`, taskId: id })).rejects.toThrow('is settled: rejected by');
  });

  test('a message is streamed to its end, or to where the task waits, and a parked task until its end', async () => {
    const done = await told(peer.stream({ text: 'list all resources' }));
    expect([done[0], ...done.slice(-2)]).toEqual(['task working', 'artifact', 'status completed']);
    const { id, name } = await parked();
    const streams = [peer.follow(id), peer.follow(id)];
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    expect(firsts.map(({ value }) => value)).toEqual(Array(2).fill({ kind: 'task', tells: 'input-required' }));
    const rest = Promise.all(streams.map(told));
    const decided = await told(peer.stream({ text: 'yes', taskId: id }));
    expect([decided[0]?.split(' ')[0], decided.at(-1)]).toEqual(
      decided.length === 1 ? ['task', 'task completed'] : ['task', 'status completed'],
    );
    expect(await rest).toEqual(Array(2).fill(['status working', 'artifact', 'status completed']));
    expect(await resources()).toContain(name);
    await expect(told(peer.follow(id))).rejects.toThrow('has ended');
  });

  test('a task is canceled, and what cannot be done is said', async () => {
    const { id, approval, name } = await parked();
    expect((await peer.cancel(id)).state).toBe('canceled');
    // Once more changes nothing in 1.0; 0.3 has it that a canceled task cannot be canceled.
    const again = await peer.cancel(id).catch(({ name }: Error) => ({ state: name }));
    expect(again.state).toBe(how.includes('1.0 over') ? 'canceled' : 'TaskNotCancelableError');
    await expect(peer.send({ text: `yes ${approval}`, taskId: id })).rejects.toThrow();
    expect(await resources()).not.toContain(name);
    const done = await peer.send({ text: 'list all resources' });
    await expect(peer.cancel(done.id)).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    const before = await conversations();
    const nobodys = randomUUID();
    for (const refused of [
      () => peer.get(nobodys),
      () => peer.cancel(nobodys),
      () => peer.send({ text: 'yes', taskId: nobodys }),
      () => told(peer.follow(nobodys)),
      () => peer.get('../../approvals'),
      () => peer.cancel('..%2f..%2fapprovals'),
    ])
      await expect(refused()).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    await expect(peer.send({ text: '' })).rejects.toThrow();
    expect(await conversations()).toBe(before);
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
