import { randomUUID } from 'node:crypto';
import { type Message, type Task, TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { clientOf, PEERS, type Peer, said, task, text, textsOf } from './a2a.ts';
import { client } from './http.ts';
import { resourcesConfig } from './platform.ts';
import { replicated } from './replicated.ts';

/** Tasks of one context: each is told what was said in those before, on whatever replica and after whatever restart. */

const longMs = 120_000;
const under = replicated((place) => resourcesConfig(place, 'a2a_grpc_port: 0'), longMs);

const stateOf = ({ status }: Task): string => TaskState[status?.state ?? 0] ?? 'unknown';
const send = async (peer: Peer, words: string, more: Partial<Message> = {}, heard = words): Promise<Task> => {
  const done = task(await peer.sendMessage(said([text(words)], more)));
  expect([stateOf(done), textsOf(done.artifacts[0]?.parts)]).toEqual(['TASK_STATE_COMPLETED', `Heard: ${heard}`]);
  return done;
};
const script = (...all: readonly string[]) =>
  under.model.script(...all.map((words) => ({ match: words, text: `Heard: ${words}` })));

/** What the model was told when it was asked about these words last, as far as they are among the words of interest. */
async function toldWith(words: string, interest: RegExp): Promise<readonly string[]> {
  const asked = (await under.model.requests()).filter(({ body }) => JSON.stringify(body).includes(words)).at(-1);
  if (asked === undefined) throw new Error(`the model was not asked about ${words}`);
  const { contents } = asked.body as { readonly contents: { role: string; parts: { text?: string }[] }[] };
  const texts = contents.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${part.text ?? ''}`));
  return texts.filter((one) => interest.test(one));
}

describe.each(Object.entries(PEERS))('version %s', (how, connect) => {
  test('a message with only a context starts a task that is told what was said there', async () => {
    const tag = how.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
    const [one, two, three] = [`I am Ada of ${tag}`, `I bake at ${tag}`, `who am I at ${tag}`];
    await script(one, two, three);
    const peer = await connect(under.platform.url);
    const first = await send(peer, one);
    expect(first.contextId).toBe(first.id);
    const second = await send(peer, two, { contextId: first.contextId });
    const third = await send(peer, three, { contextId: first.contextId });
    expect([second.contextId, third.contextId]).toEqual([first.id, first.id]);
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(await toldWith(three, new RegExp(`${tag}$`))).toEqual([
      `user: ${one}`,
      `model: Heard: ${one}`,
      `user: ${two}`,
      `model: Heard: ${two}`,
      `user: ${three}`,
    ]);
    // It was told them, but they are not its own.
    const { history } = await peer.getTask({ tenant: '', id: third.id, historyLength: 10 });
    expect(history.map(({ parts }) => textsOf(parts))).toEqual([three, `Heard: ${three}`]);
  });
});

test('a context that a client names itself is kept, and can be listed; two first messages at once both count', {
  timeout: longMs,
}, async () => {
  const [first = '', last = first] = [under.platform.urls[0], under.platform.urls.at(-1)];
  const agents = [await clientOf(first), await clientOf(last)];
  const contextId = `our context ✓ ${randomUUID()}`;
  // One of them may be told what the other one said, in the same breath: so the model answers both alike.
  const words = ['left of both', 'right of both'];
  await script('of both', 'of both', 'after both');
  const both = await Promise.all(
    agents.map((agent, index) => send(agent, words[index] ?? '', { contextId }, 'of both')),
  );
  expect(both.map((one) => one.contextId)).toEqual([contextId, contextId]);
  expect(both[0]?.id).not.toBe(both[1]?.id);
  const after = await send(agents[1]!, 'after both', { contextId });
  const told = await toldWith('after both', /of both$/);
  expect([...told].sort()).toEqual(words.flatMap((one) => ['model: Heard: of both', `user: ${one}`]).sort());
  const { body } = await client(first).get(`/conversations/${after.id}`);
  expect(body.conversation).toMatchObject({ context_id: contextId, message_count: 3 });

  await under.platform.discard();
  await under.startAnew();
  const again = await clientOf(under.platform.urls.at(-1) ?? '');
  const { tasks, totalSize } = await again.listTasks({
    ...{ tenant: '', contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '', pageSize: 10 },
    ...{ historyLength: 1, includeArtifacts: true, statusTimestampAfter: undefined },
  });
  expect([tasks.map(({ id }) => id), totalSize]).toEqual([[after.id, both[1]?.id, both[0]?.id].sort(byTime(tasks)), 3]);
  const older = await client(under.platform.url).get(`/v1/tasks?pageSize=2&contextId=${encodeURIComponent(contextId)}`);
  expect(JSON.parse(older.text)).toMatchObject({
    tasks: tasks.slice(0, 2).map(({ id }) => ({ id, contextId })),
    totalSize: 3,
    nextPageToken: expect.stringMatching(/./),
  });
  expect(tasks[0]).toMatchObject({ id: after.id, contextId, artifacts: [{ name: 'answer' }] });
  await script('after the restart');
  await send(again, 'after the restart', { contextId });
  expect(await toldWith('after the restart', /both$/)).toHaveLength(6);
});

/** In the order in which tasks are listed: those that changed last first. */
const byTime =
  (tasks: readonly Task[]) =>
  (left = '', right = ''): number => {
    const timeOf = (id: string) => tasks.find((one) => one.id === id)?.status?.timestamp ?? '';
    return timeOf(right).localeCompare(timeOf(left));
  };

test('of a long context the latest is told, and that something is left out', { timeout: longMs }, async () => {
  const agent = await clientOf(under.platform.url);
  const contextId = randomUUID();
  const long = 'long '.repeat(6_000);
  await under.model.script({ match: 'begin', text: `${long} one` }, { match: 'go on', text: `${long} two` });
  await script('what was said');
  const sent = async (words: string) => task(await agent.sendMessage(said([text(words)], { contextId })));
  await sent(`begin ${long}`);
  await sent('go on');
  await sent('what was said');
  const told = (await toldWith('what was said', /./)).map((one) => one.slice(0, 12));
  expect(told).toEqual(['user: [What ', 'user: begin ', 'model: long ', 'user: go on', 'model: long ', 'user: what w']);
  expect(await toldWith('what was said', /cut: \d+ bytes in full/)).toHaveLength(1);
});

test('what cannot name a context is refused, and nothing is created', async () => {
  const http = client(under.platform.url);
  const before = (await http.get('/conversations')).body.summary.total;
  for (const contextId of ['x'.repeat(257), 'two\nlines']) {
    const agent = await clientOf(under.platform.url);
    await expect(agent.sendMessage(said([text('hello')], { contextId }))).rejects.toThrow('the context id');
  }
  expect((await http.get('/conversations')).body.summary.total).toBe(before);
});
