import { expect, test } from 'vitest';
import { type SeenEvent, STORY_PEERS, type StoryPeer } from './a2a-peers.ts';
import { client } from './http.ts';
import { resourcesConfig } from './platform.ts';
import { replicated } from './replicated.ts';

/**
 * Everything dies while tasks wait; what a peer had in hand is still good for another gateway afterwards. Each official SDK
 * has tasks of its own, in each version and over each transport.
 */

const longMs = 120_000;
const under = replicated((place) => resourcesConfig(place, 'a2a_grpc_port: 0'), longMs, { asProcess: true });

type Parked = { readonly how: string; readonly name: string; readonly id: string; readonly approval: string };

async function parkedBy(how: string, peer: StoryPeer): Promise<Parked> {
  const name = `lasting-${how.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}-end`;
  const waiting = await peer.send({ text: `create a server ${name} with value 1` });
  const [shown] = waiting.shown as { readonly approval_id: string }[];
  return { how, name, id: waiting.id, approval: shown?.approval_id ?? '' };
}

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

async function rest(stream: AsyncGenerator<SeenEvent, void>): Promise<string[]> {
  const told: string[] = [];
  for await (const { kind, tells } of stream) told.push(kind === 'artifact' ? kind : `${kind} ${tells}`);
  return told;
}

test('tasks outlive all processes, and their streams go on at the other gateway', { timeout: longMs }, async () => {
  const connect = Object.entries(STORY_PEERS);
  const [before = ''] = under.platform.urls;
  const parked: Parked[] = [];
  for (const [how, to] of connect) parked.push(await parkedBy(how, await to(before)));
  const cut = parked[0]!;
  const [snapshot] = await (await subscribe(before, cut.id)).read(1);
  expect(snapshot?.data.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  // Somebody who listens while everything dies.
  const cutOff = (await connect[0]![1](before)).follow(cut.id);
  expect((await cutOff.next()).value).toEqual({ kind: 'task', tells: 'input-required' });
  const lost = cutOff.next().catch(() => 'lost');

  await under.platform.end('SIGKILL');
  await lost;
  await under.startAnew();
  const first = under.platform.urls[0] ?? '';
  const last = under.platform.urls.at(-1) ?? '';

  // Where it was cut off, by the id of the last event that was heard.
  const resumed = await subscribe(last, cut.id, snapshot?.id);
  for (const [index, [how, to]] of connect.entries()) {
    const { id, approval, name } = parked[index]!;
    const [here, there] = [await to(first), await to(last)];
    expect((await here.get(id)).state, how).toBe('input-required');
    const stream = there.follow(id);
    expect((await stream.next()).value, how).toEqual({ kind: 'task', tells: 'input-required' });
    const saying = { text: `yes ${approval}`, taskId: id, messageId: `m-${name}` };
    const done = await here.send(saying);
    expect([done.id, done.state], how).toEqual([id, 'completed']);
    expect(await rest(stream), how).toEqual(['status working', 'artifact', 'status completed']);
    // The same words once more, to the other gateway: they were taken already.
    expect(await there.send(saying), how).toEqual(done);
  }
  const events = await resumed.read(Number.POSITIVE_INFINITY);
  expect(events.map(({ data }) => data.statusUpdate?.status.state ?? Object.keys(data)[0])).toEqual([
    'TASK_STATE_WORKING',
    'artifactUpdate',
    'TASK_STATE_COMPLETED',
  ]);
  const { body } = await client(last).post('/conversations', { message: 'list all resources' });
  for (const { name } of parked) expect(body.result.response.split(name)).toHaveLength(2);
});
