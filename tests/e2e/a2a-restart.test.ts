import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, dataOf, said, task, text } from './a2a.ts';
import { client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';
import { topology } from './topology.ts';

/** Everything dies while a task waits; what a peer had in hand is still good for another gateway afterwards. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;

const longMs = 60_000;
const args = topology === 'services' ? ['--replicas', 'gateway=2,orchestrator=2,store=2'] : [];
const startAll = () => start(place, resourcesConfig(place), { env: model.env, args });

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  platform = await startAll();
}, longMs);

afterAll(async () => {
  await platform?.end('SIGKILL');
  await model.stop();
  place.remove();
}, longMs);

/** A subscription as raw text; `read` waits until it holds so many events. */
async function subscribe(url: string, id: string, after?: string) {
  const answer = await fetch(`${url}/tasks/${id}:subscribe`, {
    headers: after === undefined ? {} : { 'last-event-id': after },
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let sent = '';
  const events = () =>
    sent
      .split('\n\n')
      .filter((block) => block.includes('data: '))
      .map((block) => ({
        id: /^id: (.*)$/m.exec(block)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
      }));
  const read = async (count: number) => {
    while (events().length < count) {
      const { value, done } = await reader.read();
      if (done) break;
      sent += value;
    }
    return events();
  };
  return { read };
}

test('a task outlives all processes, and its stream goes on where it was', { timeout: longMs }, async () => {
  const [before = ''] = platform.urls;
  const waiting = task(
    await (await clientOf(before)).sendMessage(said([text('create a server lasting with value 1')])),
  );
  const [shown] = dataOf(waiting.status?.message?.parts) as { readonly approval_id: string }[];
  const [snapshot] = await (await subscribe(before, waiting.id)).read(1);
  expect(snapshot?.data.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');

  await platform.end('SIGKILL');
  platform = await startAll();
  const first = platform.urls[0] ?? '';
  const last = platform.urls.at(-1) ?? '';

  const again = await (await clientOf(first)).getTask({ tenant: '', id: waiting.id, historyLength: 0 });
  expect(again.status).toEqual(waiting.status);
  const stream = await subscribe(last, waiting.id, snapshot?.id);
  const approve = said([text(`yes ${shown?.approval_id}`)], { taskId: waiting.id });
  const done = task(await (await clientOf(first)).sendMessage(approve));
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const events = await stream.read(Number.POSITIVE_INFINITY);
  expect(events.map(({ data }) => data.statusUpdate?.status.state ?? Object.keys(data)[0])).toEqual([
    'TASK_STATE_WORKING',
    'artifactUpdate',
    'TASK_STATE_COMPLETED',
  ]);
  // The same words once more, to the other gateway: they were taken already.
  expect(task(await (await clientOf(last)).sendMessage(approve))).toEqual(done);
  const listed = await client(last).post('/conversations', { message: 'list all resources' });
  expect(listed.body.result.response).toContain('lasting');
});
