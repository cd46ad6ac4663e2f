import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Agent, dataPart, InputRequired, type Part, startAgent, textPart } from '../src/agent/index.ts';
import { createHttpClient, type ReadEvent, RemoteAgentError } from '../src/client/index.ts';
import { type Task, TaskState } from '../src/index.ts';

const file = (content: NonNullable<Part['content']>): Part => ({
  content,
  filename: 'a.txt',
  mediaType: 'text/plain',
  metadata: undefined,
});
const FILES = [
  file({ $case: 'url', value: 'https://example.com/a.txt' }),
  file({ $case: 'raw', value: Buffer.from('bytes') }),
];

let agent: Agent;
let goOn: () => void;

beforeEach(async () => {
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  agent = await startAgent({
    name: 'small',
    description: '',
    process: async ({ text, say }) => {
      if (text === 'ask') throw new InputRequired('Which one?');
      if (text === 'fail') throw new Error('out of paper');
      if (text === 'hold') {
        await held;
        say('half way');
        return [dataPart({ data: { deep: 1 } })];
      }
      return { artifacts: [{ parts: [textPart(text), dataPart({ data: { deep: 1 } })] }, { parts: FILES }] };
    },
    onError: () => undefined,
  });
});
afterEach(() => agent.stop());

const client = createHttpClient();
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The client of this package against its agent, at the addresses of 1.0 and at those of 0.3, whose answers are in other words. */
describe.each(['', '/v1'])('HTTP+JSON below "%s"', (base) => {
  const endpoint = () => agent.address + base;
  const send = async (text: string, contextId = 'c'): Promise<Task> => {
    const sent = await client.sendMessage(endpoint(), { text, contextId });
    if ('messageId' in sent) throw new Error('the answer is a message, not a task');
    return sent;
  };
  const partsOf = ({ artifacts }: Task) => artifacts.map(({ parts }) => parts.map(({ content }) => content));

  test('a task is got as it was answered, with its artifacts and what was said to it', async () => {
    const sent = await send('bake');
    expect(sent.id).toMatch(UUID_V4);
    const got = await client.getTask(endpoint(), sent.id);
    expect(partsOf(got)).toEqual([
      [
        { $case: 'text', value: 'bake' },
        { $case: 'data', value: { data: { deep: 1 } } },
      ],
      FILES.map(({ content }) => content),
    ]);
    expect(partsOf(got)).toEqual(partsOf(sent));
    expect(got.history.map(({ parts }) => parts[0]?.content?.value)).toEqual(['bake']);
    expect((await client.getTask(endpoint(), sent.id, 0)).history).toEqual([]);
  });

  test('what failed, and what is asked, is told in its words', async () => {
    for (const [text, state, words] of [
      ['fail', TaskState.TASK_STATE_FAILED, 'out of paper'],
      ['ask', TaskState.TASK_STATE_INPUT_REQUIRED, 'Which one?'],
    ] as const) {
      const { status } = await client.getTask(endpoint(), (await send(text)).id);
      expect([status?.state, status?.message?.parts[0]?.content?.value]).toEqual([state, words]);
    }
  });

  test('a list shows the tasks of a context and a state, page by page', async () => {
    const wanted = [await send('one', 'mine'), await send('two', 'mine'), await send('three', 'mine')];
    await send('ask', 'mine');
    await send('four', 'other');
    const filter = { contextId: 'mine', status: TaskState.TASK_STATE_COMPLETED, pageSize: 2 };
    const first = await client.listTasks(endpoint(), filter);
    const second = await client.listTasks(endpoint(), { ...filter, pageToken: first.nextPageToken });
    expect([first.tasks.length, first.totalSize, second.tasks.length, second.nextPageToken]).toEqual([2, 3, 1, '']);
    expect([...first.tasks, ...second.tasks].map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
  });

  test('what waits is canceled; what has ended is not, and stays as it is', async () => {
    const asked = await send('ask');
    expect((await client.cancelTask(endpoint(), asked.id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const done = await send('bake');
    const before = await client.getTask(endpoint(), done.id);
    for (const [id, code] of [
      [done.id, -32002],
      ['nobodys', -32001],
    ] as const) {
      const error = await client.cancelTask(endpoint(), id).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(RemoteAgentError);
      expect(error).toMatchObject({ code });
    }
    expect(await client.getTask(endpoint(), done.id)).toEqual(before);
  });

  test('a stream shows each state in turn, and so does another that joins it', async () => {
    const stream = client.streamMessage(endpoint(), { text: 'hold' });
    const { value } = await stream.next();
    const task = value?.event?.payload?.$case === 'task' ? value.event.payload.value : undefined;
    expect(task?.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    const changes = async (events: AsyncGenerator<ReadEvent, void>) => {
      const all: unknown[] = [];
      for await (const { event, error } of events) {
        const payload = event?.payload;
        if (payload?.$case === 'statusUpdate') all.push(TaskState[payload.value.status?.state ?? 0]);
        else if (payload?.$case === 'artifactUpdate') all.push(payload.value.artifact?.parts[0]?.content?.value);
        else all.push(error?.message);
      }
      return all;
    };
    const joined = client.subscribeToTask(endpoint(), task?.id ?? '');
    expect((await joined.next()).value?.event?.payload?.$case).toBe('task');
    goOn();
    const wanted = ['TASK_STATE_WORKING', { data: { deep: 1 } }, 'TASK_STATE_COMPLETED'];
    expect(await changes(stream)).toEqual(['TASK_STATE_WORKING', ...wanted]);
    expect((await changes(joined)).slice(-3)).toEqual(wanted);
    await expect(client.subscribeToTask(endpoint(), task?.id ?? '').next()).rejects.toThrow('has ended');
  });
});
