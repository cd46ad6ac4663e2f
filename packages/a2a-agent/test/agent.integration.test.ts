import { randomUUID } from 'node:crypto';
import { type Message, Role, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import { afterEach, expect, test } from 'vitest';
import {
  type Agent,
  type AgentOptions,
  InputRequired,
  MemoryTaskStore,
  Rejected,
  startAgent,
  type TaskStore,
  textPart,
} from '../src/agent/index.ts';

let agent: Agent;
afterEach(() => agent.stop());

const start = async (options: Partial<AgentOptions> & Pick<AgentOptions, 'process'>): Promise<Agent> => {
  agent = await startAgent({ name: 'small', description: 'A small agent.', onError: () => undefined, ...options });
  return agent;
};

const said = (text: string, more: Partial<Message> = {}, returnImmediately = false): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  configuration: {
    returnImmediately,
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
  },
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
});

const client = (): Promise<Client> => new ClientFactory().createFromUrl(agent.address);

async function sent(peer: Pick<Client, 'sendMessage'>, request: SendMessageRequest): Promise<Task> {
  const answer = await peer.sendMessage(request);
  if ('messageId' in answer) throw new Error('the answer is a message, not a task');
  return answer;
}

const answerOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content?.value;
const sayingOf = ({ status }: Task): unknown => status?.message?.parts[0]?.content?.value;

/** A promise, and how to keep it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('one function answers over every transport, in every version', async () => {
  await start({ process: ({ text }) => `Hello, ${text}`, grpcPort: 0 });
  const { address } = agent;
  const grpc = `127.0.0.1:${agent.grpcPort}`;
  const over = (factory: object) => new ClientFactory({ transports: [factory as never] }).createFromUrl(address);
  const peers = [
    await over(new JsonRpcTransportFactory()),
    await over(new RestTransportFactory()),
    await over(new GrpcTransportFactory()),
    new LegacyJsonRpcTransport({ endpoint: `${address}/a2a/v1` }),
    new LegacyRestTransport({ endpoint: address }),
    new LegacyGrpcTransport({ endpoint: grpc }),
  ];
  for (const peer of peers) {
    const task = await sent(peer, said('Ada'));
    expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'Hello, Ada']);
  }
  const legacy = await rpc('message/send', { message: { role: 'user', parts: [{ type: 'text', text: 'Ada' }] } });
  expect(legacy.result).toMatchObject({
    status: { state: 'completed' },
    artifact: { parts: [{ type: 'text', text: 'Hello, Ada' }] },
  });
  // Who asks for a task in the oldest dialect does not say so: he is answered as he began.
  expect((await rpc('tasks/get', { id: legacy.result?.id })).result).toHaveProperty('artifact');
});

async function rpc(method: string, params: object, path = '/a2a', headers = {}) {
  const response = await fetch(agent.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params }),
  });
  return (await response.json()) as {
    readonly id: unknown;
    readonly result?: { readonly id: string };
    readonly error?: { readonly code: number };
  };
}

test('envelopes are answered with envelopes at the addresses of HTTP+JSON, too', async () => {
  await start({ process: ({ text }) => text });
  const answer = await rpc('message/send', { message: said('hi').message ?? {} }, '/message:send');
  expect(answer.id).toBe('x');
  expect((await rpc('nothing/such', {})).error?.code).toBe(-32601);
});

test('a stream shows the task, each change of it, and ends with it; a second one shows the same', async () => {
  const { opened, open } = gate();
  await start({
    process: async ({ say, show }) => {
      await opened;
      say('half way');
      show({ artifactId: 'out', parts: [textPart('one ')] }, { append: false, last: false });
      show({ artifactId: 'out', parts: [textPart('two')] }, { append: true, last: true });
      return undefined;
    },
  });
  const peer = await client();
  const stream = peer.sendMessageStream(said('go'));
  const first = (await stream.next()).value?.payload;
  const taskId = first?.$case === 'task' ? first.value.id : '';
  const second = peer.resubscribeTask({ tenant: '', id: taskId });
  expect((await second.next()).value?.payload?.$case).toBe('task');
  open();
  const kinds = async (events: typeof stream) => {
    const all: string[] = [];
    for await (const { payload } of events) {
      const state = payload?.$case === 'statusUpdate' ? TaskState[payload.value.status?.state ?? 0] : undefined;
      if (state !== 'TASK_STATE_WORKING' || (payload?.$case === 'statusUpdate' && payload.value.status?.message))
        all.push(state ?? payload?.$case ?? '');
    }
    return all;
  };
  const wanted = ['TASK_STATE_WORKING', 'artifactUpdate', 'artifactUpdate', 'TASK_STATE_COMPLETED'];
  expect(await Promise.all([kinds(stream), kinds(second)])).toEqual([wanted, wanted]);
  const task = await peer.getTask({ tenant: '', id: taskId });
  expect(task.artifacts.map(({ parts }) => parts.map(({ content }) => content?.value))).toEqual([['one ', 'two']]);
  await expect(peer.resubscribeTask({ tenant: '', id: taskId }).next()).rejects.toThrow('has ended');
});

test('what a process throws is the failure of its task, and of nothing else', async () => {
  const told: string[] = [];
  await start({
    process: ({ text }) => {
      if (text === 'reject') throw new Rejected('not for me');
      if (text === 'nonsense') return 5 as never;
      if (text === 'fail') throw new Error('out of paper');
      return text;
    },
    onError: (_error, about) => {
      told.push(about);
      throw new Error('even the one who is told breaks');
    },
  });
  const peer = await client();
  const failed = await sent(peer, said('fail'));
  expect([failed.status?.state, sayingOf(failed)]).toEqual([TaskState.TASK_STATE_FAILED, 'out of paper']);
  expect(told).toEqual([`task ${failed.id}`]);
  expect((await sent(peer, said('nonsense'))).status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect((await sent(peer, said('reject'))).status?.state).toBe(TaskState.TASK_STATE_REJECTED);
  expect(answerOf(await sent(peer, said('still there')))).toBe('still there');
});

test('a process that asks goes on with the answer; of two answers at once one is taken', async () => {
  const { opened, open } = gate();
  await start({
    process: async ({ said: texts }) => {
      if (texts.length === 1) throw new InputRequired('How many?');
      await opened;
      return texts.join(', ');
    },
  });
  const peer = await client();
  const { id: taskId, status } = await sent(peer, said('order'));
  expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const answers = await Promise.allSettled([
    peer.sendMessage(said('three', { taskId }, true)),
    peer.sendMessage(said('four', { taskId }, true)),
  ]);
  expect(answers.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected']);
  open();
  await expect
    .poll(async () => {
      const task = await peer.getTask({ tenant: '', id: taskId });
      return task.status?.state === TaskState.TASK_STATE_COMPLETED ? answerOf(task) : undefined;
    })
    .toMatch(/^order, (three|four)$/);
  await expect(peer.sendMessage(said('five', { taskId }))).rejects.toThrow('takes no more messages');
  await expect(peer.sendMessage(said('six', { taskId: randomUUID() }))).rejects.toThrow('not found');
});

test('a cancel reaches the process, and what it gives after that is not heard', async () => {
  const { opened, open } = gate();
  const ended = gate();
  await start({
    process: async ({ signal }) => {
      signal.addEventListener('abort', open);
      await opened;
      ended.open();
      return 'too late';
    },
  });
  const peer = await client();
  const { id } = await sent(peer, said('go', {}, true));
  const cancel = () => peer.cancelTask({ tenant: '', id, metadata: undefined });
  expect((await cancel()).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await ended.opened;
  const task = await cancel();
  expect([task.status?.state, task.artifacts]).toEqual([TaskState.TASK_STATE_CANCELED, []]);
  // By the text of 0.3 that is an error.
  expect((await rpc('tasks/cancel', { id }, '/a2a/v1')).error?.code).toBe(-32002);
});

test('an agent that stops lets the requests finish that it works on', async () => {
  const { opened, open } = gate();
  const begun = gate();
  await start({
    process: async () => {
      begun.open();
      await opened;
      return 'done';
    },
  });
  const answer = sent(await client(), said('go'));
  await begun.opened;
  const stopped = agent.stop();
  open();
  expect(answerOf(await answer)).toBe('done');
  await stopped;
  await expect(fetch(agent.address)).rejects.toThrow();
});

test('tasks are kept where the agent is told to keep them', async () => {
  const made: string[] = [];
  class Watched extends MemoryTaskStore implements TaskStore {
    override create(task: Task): void {
      made.push(task.id);
      super.create(task);
    }
  }
  const store: TaskStore = new Watched();
  await start({ process: ({ text }) => text, store });
  const { id } = await sent(await client(), said('kept'));
  expect(made).toEqual([id]);
  expect(agent.store).toBe(store);
  expect(answerOf(store.get(id))).toBe('kept');
});

test('pages of other sites, wrong versions, tenants and missing extensions are refused', async () => {
  const extension = 'urn:example:needed';
  await start({ process: ({ text }) => text, requiredExtensions: [extension] });
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
  const codeFor = async (headers: object, tenant = '') => {
    const all = { 'a2a-version': '1.0', 'a2a-extensions': extension, ...headers };
    return (await rpc('SendMessage', { message, tenant }, '/a2a', all)).error?.code;
  };
  expect(await codeFor({})).toBeUndefined();
  expect(await codeFor({ 'a2a-extensions': '' })).toBe(-32008);
  expect(await codeFor({ 'a2a-version': '9.0' })).toBe(-32009);
  expect(await codeFor({}, 'else')).toBe(-32602);
  const foreign = await fetch(`${agent.address}/a2a`, {
    method: 'POST',
    headers: { origin: 'https://elsewhere.example' },
    body: '{}',
  });
  expect(foreign.status).toBe(403);
});
