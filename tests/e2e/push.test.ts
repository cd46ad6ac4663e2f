import { spawnSync } from 'node:child_process';
import { TaskState } from '@a2a-js/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clientOf, dataOf, PEERS, said, task, text } from './a2a.ts';
import { client, type PushConfig } from './http.ts';
import { resourcesConfig } from './platform.ts';
import { Receiver } from './receiver.ts';
import { replicated } from './replicated.ts';

/** Addresses are told of tasks: by whoever is alive, in the version in which they were given, and shown nothing to anybody else. */
let receiver: Receiver;

const longMs = 60_000;
const credentials = 'credentials-that-nobody-else-sees';
const token = 'token-that-nobody-else-sees';
const more = 'a2a_grpc_port: 0\nheartbeat_ttl: 1s\npush: { allow_private: true }';
const under = replicated((place) => resourcesConfig(place, more), longMs, { asProcess: true });

beforeEach(async () => {
  receiver = await new Receiver().start();
});

afterEach(() => receiver.stop());

const config = (id: string, more: object = {}) => ({
  tenant: '',
  taskId: '',
  id,
  url: receiver.url,
  token,
  authentication: { scheme: 'Bearer', credentials },
  ...more,
});

const withPush = (words: string, push = config('')) => ({
  ...said([text(words)]),
  configuration: {
    acceptedOutputModes: [],
    historyLength: undefined,
    returnImmediately: false,
    taskPushNotificationConfig: push,
  },
});

const configsOf = async (id: string): Promise<readonly PushConfig[]> =>
  (await client(under.platform.url).get(`/conversations/${id}/push`)).body.configs ?? [];

test('a task is told from its beginning through its approval to its end, and again over another run', {
  timeout: longMs,
}, async () => {
  const peer = await clientOf(under.platform.url);
  const waiting = task(await peer.sendMessage(withPush('create a server told with value 1')));
  await receiver.reached(2);
  expect(receiver.told).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
  const [asked] = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string }[];
  expect(receiver.got[1]?.body.statusUpdate.status.message.parts[1].data.approval_id).toBe(asked?.approval_id);
  await peer.sendMessage(said([text(`yes ${asked?.approval_id}`)], { taskId: waiting.id }));
  await receiver.reached(5);
  expect(receiver.told.slice(2)).toEqual(['TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_COMPLETED']);
  for (const { headers, body } of receiver.got) {
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: `Bearer ${credentials}`,
      'x-a2a-notification-token': token,
    });
    expect((body.statusUpdate ?? body.artifactUpdate).taskId).toBe(waiting.id);
  }
  // Each has a name of its own, in the order of the log.
  const keys = receiver.got.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(5);
  await vi.waitFor(
    async () => expect(await configsOf(waiting.id)).toMatchObject([{ status: 'ok', deliveries: 4, failures: 0 }]),
    30_000,
  );
  // One of them has told, however many there are.
  expect(receiver.got.length).toBe(5);
});

test('an address of 0.3 is told in 0.3: sent the task', { timeout: longMs }, async () => {
  const peer = await PEERS['0.3 over HTTP+JSON']!(under.platform.url);
  await peer.sendMessage(withPush('list the resources'));
  await receiver.reached(2);
  expect(
    receiver.got.map(({ body }) => [body.kind, typeof body.id, body.status.state, body.artifacts?.[0]?.name]),
  ).toEqual([
    ['task', 'string', 'working', undefined],
    ['task', 'string', 'completed', 'answer'],
  ]);
  expect(receiver.got[0]?.headers['content-type']).toBe('application/json');
});

test.each(Object.keys(PEERS))('configs are made, read, listed and removed: %s', { timeout: longMs }, async (name) => {
  const peer = (await PEERS[name]!(under.platform.url)) as Awaited<ReturnType<typeof clientOf>>;
  const made = task(await peer.sendMessage(said([text('list the resources')])));
  const taskId = made.id;
  const shown = { taskId, url: receiver.url, token: '', authentication: { scheme: 'Bearer', credentials: '' } };
  expect(await peer.createTaskPushNotificationConfig(config('a', { taskId }))).toMatchObject({ id: 'a', ...shown });
  expect(await peer.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'default' })).toMatchObject({
    id: 'a',
    ...shown,
  });
  await peer.createTaskPushNotificationConfig(config('b', { taskId }));
  // The same again is the same.
  await peer.createTaskPushNotificationConfig(config('b', { taskId }));
  const all = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  const list = () => peer.listTaskPushNotificationConfig(all);
  expect((await list()).configs.map(({ id }) => id)).toEqual(['a', 'b']);
  await peer.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'a' });
  await peer.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'a' });
  await expect(peer.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'a' })).rejects.toThrow();
  expect((await list()).configs.map(({ id }) => id)).toEqual(['b']);
  const nowhere = { taskId: '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d' };
  await expect(peer.createTaskPushNotificationConfig(config('a', nowhere))).rejects.toThrow(/not found/i);
});

test('a receiver that is away is told all when it is back, though everything was killed in between', {
  timeout: longMs,
}, async () => {
  const peer = await clientOf(under.platform.url);
  await receiver.stop();
  const made = task(await peer.sendMessage(withPush('list the resources')));
  expect(made.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  await vi.waitFor(async () => expect(await configsOf(made.id)).toMatchObject([{ status: 'failing' }]), {
    timeout: 20_000,
  });
  await under.platform.end('SIGKILL');
  await under.startAnew();
  await receiver.start();
  await receiver.reached(3);
  expect(receiver.told).toEqual(['TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_COMPLETED']);
  await vi.waitFor(
    async () => expect(await configsOf(made.id)).toMatchObject([{ status: 'ok', deliveries: 2 }]),
    30_000,
  );
});

test('whoever tells is killed before it can say so: it is told again, and nothing is lost', {
  timeout: longMs,
}, async () => {
  const peer = await clientOf(under.platform.url);
  let kill: Promise<unknown> | undefined;
  receiver.reply = () => {
    // The update has arrived, and its answer never comes.
    kill ??= under.platform.end('SIGKILL');
    return 'never';
  };
  await peer.sendMessage(withPush('list the resources')).catch(() => undefined);
  await receiver.reached(1);
  await kill;
  receiver.reply = () => ({ status: 200 });
  await under.startAnew();
  await receiver.reached(4);
  const first = receiver.got[0]?.headers['idempotency-key'];
  const twice = receiver.got.filter(({ headers }) => headers['idempotency-key'] === first);
  expect([twice.length, receiver.told.at(-1)]).toEqual([2, 'TASK_STATE_COMPLETED']);
});

test('what addresses are shown is nowhere in the data, in no answer and in no line', { timeout: longMs }, async () => {
  const peer = await clientOf(under.platform.url);
  const made = task(await peer.sendMessage(withPush('list the resources', config('', { url: 'http://127.0.0.1:9/' }))));
  await vi.waitFor(async () => expect(await configsOf(made.id)).toMatchObject([{ status: 'failing' }]), {
    timeout: 20_000,
  });
  expect(JSON.stringify(await configsOf(made.id))).not.toMatch(/-that-nobody-else-sees/);
  expect(under.platform.output()).not.toMatch(/-that-nobody-else-sees/);
  expect(under.platform.output()).toContain('an address could not be told of its task');
  // What is not secret is found by the same search.
  const search = (words: string) =>
    spawnSync('grep', ['-rlaE', words, under.place.dataDir], { encoding: 'utf8' }).stdout;
  expect(search('http://127.0.0.1:9/')).not.toBe('');
  expect(search('that-nobody-else-sees')).toBe('');
});

test.each([
  ['no url', { url: '' }],
  ['no address', { url: 'hook' }],
  ['another protocol', { url: 'ftp://127.0.0.1/' }],
  ['a password in it', { url: 'https://ann:secret@there.example/' }],
  ['two lines', { token: 'a\r\nX-Other: b' }],
  ['an id as webhooks have', { id: 'webhook:ops' }],
  ['too long', { url: `https://there.example/${'x'.repeat(3_000)}` }],
])('a config with %s is refused, and no task is made', async (_, wrong) => {
  const peer = await clientOf(under.platform.url);
  const count = async () => (await client(under.platform.url).get('/conversations')).body.summary.total;
  const before = await count();
  await expect(peer.sendMessage(withPush('list the resources', config('', wrong)))).rejects.toThrow(/push config/);
  expect(await count()).toBe(before);
});
