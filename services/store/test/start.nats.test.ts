import { randomUUID } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import type { RunningStore } from '../src/index.ts';
import { startStoreOnNats } from '../src/start-on-nats.ts';
import { delta } from './delta-channel.contract.ts';
import { beatOf } from './instance-board.contract.ts';
import { connectTo } from './jetstream-log.ts';
import { keepingLog } from './log-lines.ts';
import { closeAll, closing, defaults, manage, server } from './nats-link.ts';
import { describeWithNats, type NatsServer, safe } from './nats-server.ts';
import { freshDirectory } from './sqlite-log.ts';
import { Story } from './story.ts';
import { until } from './until.ts';

afterEach(closeAll);

function directory(): string {
  const dataDir = freshDirectory();
  closing.push(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

async function replica(nats: NatsServer, dataDir = directory(), openStreamsMax = 100) {
  const { log, lines } = keepingLog();
  const { url, monitorUrl } = nats;
  const running = await startStoreOnNats({ ...defaults, url, monitorUrl, dataDir, log, openStreamsMax });
  closing.push(() => running.stop());
  return { ...running, client: clientOf(running), lines, dataDir };
}

const clientOf = (running: RunningStore) => createInProcessClient(store.StoreService, running.service);

type Client = ReturnType<typeof clientOf>;

/** A promise that may be looked at late. */
function kept(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}

/** What a caller does who is told to try again: the outcome, once there is one. */
async function sent(client: Client, append: Parameters<Client['append']>[0]): Promise<string | undefined> {
  let outcome: string | undefined;
  await until('an answer', async () => {
    const answer = await client.append(append).catch((error: { kind: string }) => {
      expect(error).toMatchObject({ kind: 'unavailable' });
      return undefined;
    });
    outcome = answer?.outcome.case;
    return outcome !== undefined;
  });
  return outcome;
}

/** What is written by default: the sweep of blobs tells at level debug that it is tried again. */
const told = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('debug: '));

describeWithNats('the store on NATS', () => {
  test('two replicas are one store: events, views, heartbeats and deltas', async () => {
    const nats = await server();
    const [{ client: one }, { client: other }] = [await replica(nats), await replica(nats)];
    const story = new Story();
    expect(await sent(one, story.created())).toBe('appended');
    expect((await other.getConversation({ conversationId: story.id })).view?.head).toMatchObject({ revision: 1 });
    for (const append of story.turn()) {
      expect(await sent(other, append)).toBe('appended');
      const { view } = await one.getConversation({ conversationId: story.id });
      expect(view?.head?.revision).toBe(append.expectedRevision + append.events.length);
    }
    for (const client of [one, other]) {
      const { problems, events } = await client.verifyStream({ stream: story.stream });
      expect([problems, events]).toEqual([[], story.revision]);
    }

    await one.heartbeat(beatOf('a', 1));
    const beat = await other.heartbeat(beatOf('b', 1));
    expect(beat.instances.map(({ instance }) => instance)).toEqual(['a', 'b']);
    expect(beat.complete).toBe(false);

    const leave = new AbortController();
    const watch = one.watchDeltas({ conversationId: story.id }, { signal: leave.signal })[Symbol.asyncIterator]();
    const first = watch.next();
    const piece = delta(story.id, 'piece');
    await until('the interest', async () => (await other.publishDelta({ delta: piece })).watchers === 1);
    expect((await first).value.delta.text).toBe('piece');
    leave.abort();
  });

  test('its files are for this user and this process only; a new start goes on where it stood', async () => {
    const nats = await server();
    const dataDir = join(directory(), 'data');
    const running = await replica(nats, dataDir);
    const story = new Story();
    await sent(running.client, story.created());
    expect((await running.client.getConversation({ conversationId: story.id })).view?.head?.revision).toBe(1);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const name of ['views.db', 'views.db-wal', 'lock.db'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    await expect(replica(nats, dataDir)).rejects.toMatchObject({
      kind: 'failed_precondition',
      message: expect.stringMatching(/in use by another process; stop that process or choose another directory$/),
    });
    await running.stop();
    await running.stop();
    await expect(running.client.append(story.asked('x'))).rejects.toMatchObject({ kind: 'unavailable' });
    const again = await replica(nats, dataDir);
    expect((await again.client.getConversation({ conversationId: story.id })).view?.head?.revision).toBe(1);
    expect(again.lines).toEqual([]);
  });

  test('a start that is refused leaves the directory free', async () => {
    const nats = await server({ ...safe, jetstream: undefined });
    const dataDir = directory();
    for (let times = 0; times < 2; times++)
      await expect(replica(nats, dataDir)).rejects.toMatchObject({ message: expect.stringMatching(/JetStream off/) });
  });

  test('views that are damaged, or of another log, are made anew', async () => {
    const nats = await server();
    const dataDir = directory();
    const story = new Story();
    const first = await replica(nats, dataDir);
    await sent(first.client, story.created());
    await first.stop();
    writeFileSync(join(dataDir, 'views.db'), 'no database at all, and longer than the header of one '.repeat(20));
    const mended = await replica(nats, dataDir);
    expect(mended.lines[0]).toMatch(/^warn: the file of the views is damaged; they are made anew/);
    expect((await mended.client.getConversation({ conversationId: story.id })).view?.head?.revision).toBe(1);
    await mended.stop();

    await manage(nats, (manager) => manager.streams.delete('STOPGO'));
    const anew = await replica(nats, dataDir);
    expect(anew.lines[0]).toMatch(/^warn: the views are of another event log; they are made anew/);
    const answer = anew.client.getConversation({ conversationId: story.id });
    await expect(answer).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('without its server it answers so, promptly, and heals by itself; what was said is there', async () => {
    const nats = await server();
    const { client, lines } = await replica(nats);
    const story = new Story();
    await sent(client, story.created());
    await nats.kill();
    await until('the loss', () => lines.some((line) => line.startsWith('warn: ')));
    const append = story.asked('are you there?');
    const conversationId = story.id;
    for (const refused of [
      client.append(append),
      client.getConversation({ conversationId }),
      client.load({ by: { case: 'conversationId', value: conversationId } }),
      client.load({ by: { case: 'conversationId', value: conversationId }, mayLag: true }),
      client.heartbeat(beatOf('a', 1)),
      client.readStream({ stream: story.stream }),
    ].map((one) => kept(one)))
      await expect(refused).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
    // Lists may lag, and say as of when.
    expect((await client.listConversations({})).conversations).toHaveLength(1);
    await nats.start();
    expect(await sent(client, append)).toBe('appended');
    await until('the heartbeat', () =>
      client.heartbeat(beatOf('a', 1)).then(
        () => true,
        () => false,
      ),
    );
    expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([]);
    expect(told(lines)).toEqual([
      expect.stringMatching(/^warn: .* the connection is lost/),
      expect.stringMatching(/^info: .* the connection is back$/),
    ]);
  });

  test('a load that may lag does not ask the server, unless it is of what is not known here', async () => {
    const nats = await server();
    const { client } = await replica(nats);
    const story = new Story();
    await sent(client, story.created());
    const connection = await connectTo(nats.url);
    // Of the log alone: the sweep of blobs asks for their stream whenever it begins.
    const asked = connection.subscribe(`$JS.API.STREAM.INFO.${defaults.stream}`);
    const askedBy = async (load: Promise<unknown>) => {
      const before = asked.getReceived();
      await load.catch(() => undefined);
      await connection.flush();
      return asked.getReceived() - before;
    };
    await connection.flush();
    const by = { case: 'conversationId', value: story.id } as const;
    expect(await askedBy(client.load({ by, mayLag: true }))).toBe(0);
    expect(await askedBy(client.load({ by }))).toBe(1);
    const unknown = { case: 'conversationId', value: randomUUID() } as const;
    expect(await askedBy(client.load({ by: unknown, mayLag: true }))).toBe(1);
    expect((await client.load({ by, mayLag: true })).revision).toBe(1);
    await connection.close();
  });

  test('a server that is back and would lose what it acknowledges gets no append', async () => {
    const nats = await server();
    const { client, lines } = await replica(nats);
    const story = new Story();
    await sent(client, story.created());
    await nats.kill();
    await nats.start({ jetstream: 'sync_interval: "2m"', monitor: true });
    await until('the reason', () => lines.some((line) => /^error: .*it has no sync_interval: always/.test(line)));
    const append = story.asked('are you safe?');
    await expect(client.append(append)).rejects.toMatchObject({ kind: 'unavailable' });
    await nats.kill();
    await nats.start(safe);
    expect(await sent(client, append)).toBe('appended');
    expect((await client.readStream({ stream: story.stream })).headRevision).toBe(story.revision);
  });

  test('it stops also without its server', async () => {
    const nats = await server();
    const { stop, lines } = await replica(nats);
    await nats.kill();
    await until('the loss', () => lines.length > 0);
    await stop();
    expect(told(lines)).toHaveLength(1);
  });

  test('streams are bounded, and end when it stops', async () => {
    const nats = await server();
    const { client, stop } = await replica(nats, directory(), 2);
    const { signal } = new AbortController();
    const story = new Story();
    await sent(client, story.created());
    const follow = client.follow({ stream: story.stream, fromRevision: 2 }, { signal })[Symbol.asyncIterator]();
    const watch = client.watchDeltas({ conversationId: randomUUID() }, { signal })[Symbol.asyncIterator]();
    const open = [follow.next(), watch.next()];
    for (const one of open) one.catch(() => undefined);
    const third = client.subscribe({}, { signal })[Symbol.asyncIterator]();
    await expect(third.next()).rejects.toMatchObject({ kind: 'resource_exhausted' });
    await stop();
    for (const one of open) await expect(one).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('the password is in no line of the log and in no error', async () => {
    const nats = await server({ ...safe, user: { name: 'ann', password: 'hunter22' } });
    const { client, lines } = await replica(nats);
    await nats.kill();
    await until('the loss', () => lines.length > 0);
    const errors: string[] = [];
    await client.heartbeat(beatOf('a', 1)).catch((error: Error) => errors.push(error.message));
    await client.append(new Story().created()).catch((error: Error) => errors.push(error.message));
    await nats.start();
    await until('the connection', () => lines.length > 1);
    expect(errors).toHaveLength(2);
    expect([...lines, ...errors].join('\n')).not.toMatch(/hunter22|ann@|ann:/);
  });
});
