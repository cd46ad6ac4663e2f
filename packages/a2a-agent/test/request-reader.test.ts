import { describe, expect, test } from 'vitest';
import {
  type A2ARequestHandler,
  requestReader,
  ServerCallContext,
  TaskState,
  type TextAgent,
  textPart,
} from '../src/index.ts';
import { type ListTasksRequest, Role } from '../src/protocol.ts';
import type { RequestRules } from '../src/request/request-reader.ts';

const TASK = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
const REQUIRED = 'urn:required';
const context = new ServerCallContext();

type Asked = [operation: string, ...args: unknown[]];

/** A reader before an agent that only remembers what it was asked. */
function reader(more: Partial<RequestRules> = {}) {
  const asked: Asked[] = [];
  const operation = (_: object, name: string) =>
    name.endsWith('ollow')
      ? // biome-ignore lint/correctness/useYield: nothing comes of it
        async function* (...args: unknown[]) {
          asked.push([name, ...args]);
        }
      : async (...args: unknown[]) => {
          asked.push([name, ...args]);
          return [];
        };
  const agent = new Proxy({}, { get: operation }) as TextAgent;
  const handler = requestReader(agent, {
    ...{ dialect: '1.0', messageBytesMax: 1_000, tellsOfTasks: true, streams: true },
    ...{ extensions: { declared: [], required: [] }, named: [] },
    readable: (error) => error as Error,
    ...more,
  });
  return { handler, asked };
}

const said = (text: string, taskId = TASK) => ({
  tenant: '',
  message: {
    ...{ messageId: 'm-1', contextId: '', taskId, role: Role.ROLE_USER, parts: [textPart(text)] },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  },
  configuration: undefined,
  metadata: undefined,
});
const list: ListTasksRequest = {
  ...{ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
  ...{ pageSize: undefined, historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined },
};
const push = {
  ...{ tenant: '', taskId: TASK, id: 'p', url: 'https://p.example/', token: 't' },
  authentication: undefined,
};

/** Every operation that a request can ask for. */
const requests: Readonly<Record<string, (handler: A2ARequestHandler, more?: object) => Promise<unknown>>> = {
  extendedCard: (handler, more) => handler.getAuthenticatedExtendedAgentCard({ tenant: '', ...more }, context),
  send: (handler, more) => handler.sendMessage({ ...said('hello'), ...more }, context),
  sendAndFollow: (handler, more) => handler.sendMessageStream({ ...said('hello'), ...more }, context).next(),
  follow: (handler, more) => handler.resubscribe({ tenant: '', id: TASK, ...more }, context).next(),
  get: (handler, more) => handler.getTask({ tenant: '', id: TASK, historyLength: 2, ...more }, context),
  list: (handler, more) => handler.listTasks({ ...list, ...more }, context),
  cancel: (handler, more) => handler.cancelTask({ tenant: '', id: TASK, metadata: undefined, ...more }, context),
  createPush: (handler, more) => handler.createTaskPushNotificationConfig({ ...push, ...more }, context),
  getPush: (handler, more) => handler.getTaskPushNotificationConfig({ ...push, ...more }, context),
  listPush: (handler, more) =>
    handler.listTaskPushNotificationConfigs({ ...push, pageSize: 0, pageToken: '', ...more }, context),
  deletePush: (handler, more) => handler.deleteTaskPushNotificationConfig({ ...push, ...more }, context),
};
const names = Object.keys(requests);

describe('an agent is asked what was read', () => {
  const task = { id: TASK, asWritten: TASK };
  const sent = expect.objectContaining({ kind: 'follow_up', text: 'hello', task });
  const settings = { configId: 'p', url: push.url, token: 't', scheme: '', credentials: '', protocolVersion: '1.0' };
  test.each<Asked>([
    ['extendedCard'],
    ['send', sent, { historyLength: 0, isAtOnce: false }],
    ['sendAndFollow', sent],
    ['follow', task],
    ['get', task, 2],
    ['list', expect.objectContaining({ pageSize: 50, state: undefined, historyLength: 0, includeArtifacts: false })],
    ['cancel', task],
    ['createPush', task, settings],
    ['getPush', task, 'p'],
    ['listPush', task],
    ['deletePush', task, 'p'],
  ])('%s', async (...operation) => {
    const { handler, asked } = reader();
    await requests[operation[0]]?.(handler);
    expect(asked).toEqual([operation]);
  });

  test('with the id of its task as an id, and as the peer wrote it', async () => {
    const { handler, asked } = reader();
    await handler.getTask({ tenant: '', id: TASK.toUpperCase(), historyLength: undefined }, context);
    expect(asked).toEqual([['get', { id: TASK, asWritten: TASK.toUpperCase() }, undefined]]);
  });
});

describe('an agent is not asked', () => {
  const bad = new Error('Idempotency-Key must be something else');
  const extensions = { declared: [REQUIRED], required: [REQUIRED] };
  const faults: readonly (readonly [string, Partial<RequestRules>, object])[] = [
    [bad.message, { unreadable: bad, extensions }, { tenant: 'other' }],
    ['there is no such tenant here', { extensions }, { tenant: 'other' }],
    [`this agent requires the extension ${REQUIRED}`, { extensions }, {}],
  ];
  test.each(names.flatMap((name) => faults.map((fault) => [name, ...fault] as const)))(
    '%s: %s',
    async (name, problem, rules, more) => {
      const { handler, asked } = reader(rules);
      await expect(requests[name]?.(handler, more)).rejects.toThrow(problem);
      expect(asked).toEqual([]);
    },
  );

  const noTask = names.filter((name) => !['extendedCard', 'send', 'sendAndFollow', 'list'].includes(name));
  test.each(noTask)('%s of what can be no task', async (name) => {
    const { handler, asked } = reader();
    await expect(requests[name]?.(handler, { id: 'none', taskId: 'none' })).rejects.toThrow('Task not found: none');
    expect(asked).toEqual([]);
  });

  test.each(['sendAndFollow', 'follow'])('%s where there are no streams', async (name) => {
    const { handler, asked } = reader({ streams: false });
    await expect(requests[name]?.(handler, { message: undefined, id: 'none' })).rejects.toThrow('no event streams');
    expect(asked).toEqual([]);
  });

  test.each(['createPush', 'getPush', 'listPush', 'deletePush'])('%s where nobody is told', async (name) => {
    const { handler, asked } = reader({ tellsOfTasks: false });
    await expect(requests[name]?.(handler, { taskId: 'none' })).rejects.toThrow(/push notification/i);
    expect(asked).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['send', { message: undefined }, 'message is missing'],
    ['send', { configuration: { historyLength: -1 }, message: undefined }, 'historyLength must be 0 or more'],
    ['get', { historyLength: 1.5, id: 'none' }, 'historyLength must be 0 or more'],
    ['list', { pageSize: 0, historyLength: -1 }, 'pageSize must be 1 to 100'],
    ['list', { pageSize: 101 }, 'pageSize must be 1 to 100'],
    ['list', { historyLength: -1, pageToken: 'x'.repeat(513) }, 'historyLength must be 0 or more'],
    ['list', { pageToken: 'x'.repeat(513), statusTimestampAfter: 'noon' }, 'pageToken is not one'],
    ['list', { statusTimestampAfter: 'noon', status: TaskState.UNRECOGNIZED }, 'statusTimestampAfter must be a time'],
    ['list', { status: TaskState.UNRECOGNIZED }, 'status is no task state'],
  ])('%s %j: %s', async (name, more, problem) => {
    const { handler, asked } = reader();
    await expect(requests[name]?.(handler, more)).rejects.toThrow(problem);
    expect(asked).toEqual([]);
  });
});

test('whatever goes wrong is put into the words of the peer, also what the agent throws', async () => {
  const { handler } = reader({ readable: (error) => new Error(`readable: ${(error as Error).message}`) });
  await expect(requests.get?.(handler, { id: 'none' })).rejects.toThrow('readable: Task not found');
  const failing = requestReader(new Proxy({}, { get: () => () => Promise.reject(new Error('away')) }) as TextAgent, {
    ...{ dialect: '1.0', messageBytesMax: 1, tellsOfTasks: true, streams: true },
    ...{ extensions: { declared: [], required: [] }, named: [] },
    readable: (error) => new Error(`readable: ${(error as Error).message}`),
  });
  await expect(requests.cancel?.(failing)).rejects.toThrow('readable: away');
});
