import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deltaBytesPerWatcherMax, deltaCharactersMax } from '../src/bounds.ts';
import { Deltas } from '../src/deltas.ts';
import type { EventLog } from '../src/event-log.ts';
import { type RunningStore, type StoreOptions, startStore } from '../src/index.ts';
import { Instances } from '../src/instances.ts';
import { storeService } from '../src/service.ts';
import type { Views } from '../src/views.ts';
import { freshDirectory, openParts, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

let dataDir: string;
let running: RunningStore | undefined;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(dataDir, { recursive: true });
});

async function started(options: Partial<StoreOptions> = {}): Promise<StoreClient> {
  running = await startStore({ dataDir, log: silent, ...options });
  return createInProcessClient(store.StoreService, running.service);
}

const delta = (conversationId: string, offset: number, text: string) => ({
  ...{ conversationId, runId: 'r', stepId: 'root', turn: 1, offset, text },
});

/** Reads a stream to its end, and gives its error, or undefined if it had none. */
async function endOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of stream);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('as many streams as the start allows are open at once; one more is refused until one closes', async () => {
  const client = await started({ openStreamsMax: 2 });
  const conversationId = randomUUID();
  const ends = [new AbortController(), new AbortController()];
  const open = ends.map(({ signal }) => endOf(client.watchDeltas({ conversationId }, { signal })));
  const watchers = async () => (await client.publishDelta({ delta: delta(conversationId, 0, 'x') })).watchers;
  await expect.poll(watchers).toBe(2);
  expect(await endOf(client.follow({ stream: new Story().stream }))).toMatchObject({
    kind: 'resource_exhausted',
    message: expect.stringContaining('2 streams'),
  });
  ends[0]?.abort();
  await open[0];
  await expect.poll(watchers).toBe(1);
  const third = endOf(client.watchDeltas({ conversationId }));
  await expect.poll(watchers).toBe(2);
  await running?.stop();
  await Promise.all([open[1], third]);
});

test('by default there is room for two streams of every open one of the API and one of every run', async () => {
  const client = await started();
  const conversationId = randomUUID();
  const open = Array.from({ length: 10_000 }, () => endOf(client.watchDeltas({ conversationId })));
  const publish = () => client.publishDelta({ delta: delta(conversationId, 0, 'x') });
  await expect.poll(async () => (await publish()).watchers).toBe(10_000);
  await running?.stop();
  await Promise.all(open);
});

test('a stop ends whoever watches deltas, and whoever comes later', async () => {
  const client = await started();
  const conversationId = randomUUID();
  const watching = endOf(client.watchDeltas({ conversationId }));
  const publish = () => client.publishDelta({ delta: delta(conversationId, 0, 'x') });
  await expect.poll(async () => (await publish()).watchers).toBe(1);
  await running?.stop();
  expect(await watching).toMatchObject({ kind: 'unavailable' });
  expect(await endOf(client.watchDeltas({ conversationId }))).toMatchObject({ kind: 'unavailable' });
});

test('what waits for a slow watcher is bounded in bytes, and flows again once it is read', async () => {
  const deltas = new Deltas();
  const conversationId = randomUUID();
  const watching = deltas.watch(conversationId, new AbortController().signal);
  const publish = (offset: number, text: string) =>
    deltas.publish({ ...delta(conversationId, offset, text), $typeName: 'stopgo.store.v1.Delta', attempt: 1 });
  const first = watching.next();
  const large = 'x'.repeat(deltaCharactersMax);
  for (let offset = 0; offset < 20; offset++) publish(offset, large);
  const read = [(await first).value];
  publish(20, 'end');
  for (;;) {
    read.push((await watching.next()).value);
    if (read.at(-1)?.text === 'end') break;
  }
  const bytes = read.reduce((sum, one) => sum + (one?.text.length ?? 0), 0);
  expect(bytes).toBeLessThanOrEqual(deltaBytesPerWatcherMax);
  expect(read.map((one) => one?.offset)).toEqual([0, 1, 2, 20]);
  for (const offset of [21, 22]) publish(offset, large);
  for (const offset of [21, 22]) expect((await watching.next()).value).toMatchObject({ offset });
  await watching.return(undefined);
});

test('a start says whether its heartbeats name every process that lives', async () => {
  expect((await (await started()).heartbeat({})).complete).toBe(true);
  await running?.stop();
  expect((await (await started({ instancesComplete: false })).heartbeat({})).complete).toBe(false);
});

test('a read for a revision waits for the views, not only for the log', async () => {
  const parts = openParts(dataDir);
  const story = new Story();
  const real = parts.views;
  // Views that are made apart from the log: they show an append only once somebody has waited for them.
  let shown: ReturnType<Views['view']>;
  const views = new Proxy<Views>(real, {
    get(target, name) {
      if (name === 'caughtUp')
        return async () => {
          shown = real.view(story.id);
        };
      if (name === 'view') return () => shown;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const service = storeService({
    ...{
      log: parts.events,
      views,
      blobs: parts.blobs,
      deltas: new Deltas(),
      instances: new Instances(true, () => performance.now()),
      openStreamsMax: 9,
    },
  });
  const client = createInProcessClient(store.StoreService, service);
  await client.append(story.created());
  const read = client.getConversation({ conversationId: story.id, minRevision: 2 });
  await client.append(story.asked('hello'));
  expect((await read).view?.head?.revision).toBe(story.revision);
  await parts.close();
});

test('a load that an append overtakes shows the state and the keys of the same moment', async () => {
  const parts = openParts(dataDir);
  const story = new Story();
  const created = story.created();
  const asked = story.asked('hello');
  // As with a log that others append to: between the state and the keys there is time for an append.
  const log = new Proxy<EventLog>(parts.events, {
    get(target, name) {
      if (name === 'keys')
        return async (...[stream, keys]: Parameters<EventLog['keys']>) => {
          await client.append(asked);
          return target.keys(stream, keys);
        };
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const service = storeService({
    ...{
      log,
      views: parts.views,
      blobs: parts.blobs,
      deltas: new Deltas(),
      instances: new Instances(true, () => performance.now()),
      openStreamsMax: 9,
    },
  });
  const client = createInProcessClient(store.StoreService, service);
  await client.append(created);
  const by = { case: 'conversationId', value: story.id } as const;
  const { revision, knownKeys } = await client.load({ by, idempotencyKeys: [asked.idempotencyKey] });
  expect(knownKeys.map(({ lastRevision }) => lastRevision)).toEqual([story.revision]);
  expect(revision).toBe(story.revision);
  await parts.close();
});
