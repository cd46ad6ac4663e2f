import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import type { Client as A2AClient } from '@a2a-js/sdk/client';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { client03Of, clientOf, said, task, text, textsOf } from './a2a.ts';
import { until } from './http.ts';
import { type ScriptedModel, type Step, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Streams of tasks: what becomes of one is told from the log, so that a client can come back at any event. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let agent: A2AClient;

const STREAMS_MAX = 4;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await start(place, resourcesConfig(place, `limits:\n  open_streams: ${STREAMS_MAX}\n`), {
    env: model.env,
  });
  agent = await clientOf(platform.url);
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

/** An event in short: its kind, and the state or text that it tells. */
function brief({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case 'task':
      return `task ${stateName(payload.value.status?.state)}`;
    case 'statusUpdate':
      return stateName(payload.value.status?.state);
    case 'artifactUpdate':
      return `artifact ${textsOf(payload.value.artifact?.parts) === '' ? 'empty' : 'with text'}`;
    default:
      return 'nothing';
  }
}

const stateName = (state: TaskState | undefined): string =>
  state === undefined ? 'none' : (TaskState[state] ?? 'unknown');

async function all(stream: AsyncGenerator<StreamResponse, void>): Promise<string[]> {
  const told: string[] = [];
  for await (const event of stream) told.push(brief(event));
  return told;
}

const parked = async (name: string) =>
  task(await agent.sendMessage(said([text(`create a server ${name} with value 1`)]))).id;

/** What a stream tells in the end of a task that it has shown at work. */
const ENDS = ['artifact with text', 'TASK_STATE_COMPLETED'];

/** Has the model answer `words` when it is let go, and not before: until then there is nothing to tell of their task. */
async function held(words: string, answer: Step): Promise<() => Promise<void>> {
  await model.script({ match: words, hang: true, ...answer });
  return async () => {
    await until('the model to be asked', async () =>
      (await model.requests()).some(({ body }) => JSON.stringify(body).includes(words)) ? true : undefined,
    );
    await model.release();
  };
}

/** All that a stream tells of a task whose model is let go when the stream has begun. */
async function fromTheStart(
  stream: AsyncGenerator<StreamResponse, void>,
  letGo: () => Promise<void>,
): Promise<string[]> {
  const first = await stream.next();
  await letGo();
  return [brief(first.value as StreamResponse), ...(await all(stream))];
}

test('a message is streamed to its end, or to where the task waits', async () => {
  const answer = await held('show all', { text: 'Nothing is there.' });
  const done = await fromTheStart(agent.sendMessageStream(said([text('show all')])), answer);
  expect(done).toEqual(['task TASK_STATE_WORKING', ...ENDS]);
  const call = await held('make one', { calls: [{ name: 'resources_add', args: { name: 'streamed', value: 1 } }] });
  const waiting = await fromTheStart(agent.sendMessageStream(said([text('make one')])), call);
  expect(waiting).toEqual(['task TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
});

test('two who follow a parked task hear the same, and the stream ends with the task', async () => {
  const id = await parked('followed');
  const streams = [agent, agent].map((peer) => peer.resubscribeTask({ tenant: '', id }));
  const firsts = await Promise.all(streams.map((stream) => stream.next()));
  expect(firsts.map(({ value }) => brief(value as StreamResponse))).toEqual(
    Array(2).fill('task TASK_STATE_INPUT_REQUIRED'),
  );
  const rest = Promise.all(streams.map(all));
  await agent.sendMessage(said([text('yes')], { taskId: id }));
  const [one, other] = await rest;
  expect(one).toEqual(['TASK_STATE_WORKING', ...ENDS]);
  expect(other).toEqual(one);
  await expect(agent.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(UnsupportedOperationError);
});

test('a stream of version 0.3 says which of its events is the last', async () => {
  const answer = await held('show in 0.3', { text: 'Nothing is there.' });
  const parts = [{ kind: 'text', text: 'show in 0.3' }];
  const message = { kind: 'message', role: 'user', messageId: 'stream-03', parts };
  const stream = await rpc({ method: 'message/stream', params: { message } });
  await answer();
  const events = sentIn(await stream.text()).map(({ data }) => data.result);
  expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'working' } });
  expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
  const again = await held('show once more', { text: 'Still nothing.' });
  const told = await fromTheStart(client03Of(platform.url).sendMessageStream(said([text('show once more')])), again);
  expect(told).toEqual(['task TASK_STATE_WORKING', ...ENDS]);
});

test('who comes back with the id of an event hears all that came after it, and nothing else', async () => {
  const id = await parked('resumed');
  await agent.sendMessage(said([text('yes')], { taskId: id }));
  const subscribe = async (after: string | number) => {
    const headers = { 'last-event-id': String(after) };
    const answer = await rpc({ method: 'SubscribeToTask', params: { id } }, headers);
    return sentIn(await answer.text());
  };
  const whole = await subscribe(0);
  const kinds = whole.map(({ data: { result } }) => result.statusUpdate?.status.state ?? Object.keys(result)[0]);
  expect(kinds).toEqual([
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_WORKING',
    'artifactUpdate',
    'TASK_STATE_COMPLETED',
  ]);
  const ids = whole.map((event) => event.id);
  // The artifact belongs to the event that ends the run: who has it alone is told both again.
  expect(ids.map((one) => one !== undefined)).toEqual([true, true, true, false, true]);
  for (const [index, seen] of ids.entries()) {
    if (seen !== undefined) expect(await subscribe(seen)).toEqual(whole.slice(index + 1));
  }
});

test('a client that leaves frees its stream', async () => {
  const id = await parked('left');
  for (let round = 0; round < 3 * STREAMS_MAX; round += 1) {
    const left = new AbortController();
    // The place of the one before is free as soon as its end was noticed.
    const stream = await until('a place for a stream', async () => {
      const answer = await rpc({ method: 'SubscribeToTask', params: { id } }, {}, left.signal);
      return answer.headers.get('content-type')?.startsWith('text/event-stream') ? answer : undefined;
    });
    await stream.body?.getReader().read();
    left.abort();
  }
});

const rpc = (
  request: object,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${platform.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
    ...(signal === undefined ? {} : { signal }),
  });

type Sent = {
  readonly id?: string;
  readonly data: { readonly result: { readonly statusUpdate?: { readonly status: { readonly state: string } } } };
};

/** The events of a whole stream. */
const sentIn = (stream: string): Sent[] =>
  stream
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      return { ...(id === undefined ? {} : { id }), data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '') };
    });
