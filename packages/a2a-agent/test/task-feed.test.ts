import { expect, test } from 'vitest';
import { TaskFeed, type Update } from '../src/agent/task-feed.ts';
import { updatesAheadMax } from '../src/bounds.ts';

const update = (revision: number): Update => ({ revision, event: { payload: undefined } });

test('each follower hears each update, in order, also those that came before it listened', async () => {
  const feed = new TaskFeed();
  const followers = [1, 2].map(() => feed.follow('task', new AbortController().signal));
  feed.tell('task', update(1));
  feed.tell('other', update(9));
  const first = await Promise.all(followers.map((follower) => follower.next()));
  const second = Promise.all(followers.map((follower) => follower.next()));
  feed.tell('task', update(2));
  expect([first, await second].map((answers) => answers.map(({ value }) => value?.revision))).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('who leaves ends its stream, and is told of nothing more', async () => {
  const feed = new TaskFeed();
  const left = new AbortController();
  const follower = feed.follow('task', left.signal);
  const next = follower.next();
  left.abort();
  expect((await next).done).toBe(true);
});

test('who falls too far behind is cut off after what was kept for it', async () => {
  const feed = new TaskFeed();
  const follower = feed.follow('task', new AbortController().signal);
  for (let revision = 1; revision <= updatesAheadMax + 1; revision += 1) feed.tell('task', update(revision));
  let heard = 0;
  for await (const { revision } of follower) heard = revision;
  expect(heard).toBe(updatesAheadMax);
});
