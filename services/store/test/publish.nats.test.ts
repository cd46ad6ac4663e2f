import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { type Expected, publish } from '../src/adapters/jetstream/publish.ts';
import { Requests } from '../src/adapters/jetstream/requests.ts';
import { closeAll, closing, server } from './nats-link.ts';
import { describeWithNats, safe } from './nats-server.ts';

afterEach(closeAll);

/** Longer than a test may take: whoever waits for it fails. */
const never = 10 * 60_000;
const bytes = new Uint8Array([1]);

function publisherOver(connection: NatsConnection) {
  const requests = new Requests(connection);
  return {
    publish: (subject: string, data: Uint8Array, expected: Expected, waitMs: number) =>
      publish(requests, subject, data, expected, waitMs),
  };
}

async function connectedTo(url: string, credentials = {}) {
  const connection = await connect({ servers: url, noAsyncTraces: true, ...credentials });
  closing.push(() => connection.close());
  return connection;
}

describeWithNats('what becomes of a message that is published', () => {
  test('it is stored where it is expected to follow, and nowhere else', async () => {
    const connection = await connectedTo((await server()).url);
    await (await jetstreamManager(connection)).streams.add({ name: 'S', subjects: ['s.>'] });
    const publisher = publisherOver(connection);
    const after = (lastSubjectSequence: number, stream = 'S') =>
      publisher.publish('s.one', bytes, { stream, lastSubjectSequence }, never);
    expect(await after(0)).toBe(1);
    expect(await after(1)).toBe(2);
    await expect(after(1)).rejects.toMatchObject({ code: 10071 });
    await expect(after(1)).rejects.toBeInstanceOf(JetStreamApiError);
    await expect(after(2, 'OTHER')).rejects.toBeInstanceOf(JetStreamApiError);
    // Several under way: each is told of its own.
    const others = ['a', 'b', 'c'].map((name) =>
      publisher.publish(`s.${name}`, bytes, { stream: 'S', lastSubjectSequence: 0 }, never),
    );
    expect((await Promise.all(others)).toSorted()).toEqual([3, 4, 5]);
    expect(await after(2)).toBe(6);
  });

  test('nothing is kept of what was answered', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const connection = await connectedTo((await server()).url);
    await (await jetstreamManager(connection)).streams.add({ name: 'S', subjects: ['s.>'] });
    const publisher = publisherOver(connection);
    const published = async (lastSubjectSequence: number) => {
      const data = new Uint8Array([1]);
      await publisher.publish('s.one', data, { stream: 'S', lastSubjectSequence }, never);
      return new WeakRef(data);
    };
    const first = await published(0);
    // What is under way last may be referred to until the next.
    await published(1);
    collectGarbage();
    expect(first.deref()).toBeUndefined();
  });

  test('nobody there who would take it is known at once', async () => {
    const publisher = publisherOver(await connectedTo((await server({ ...safe, jetstream: undefined })).url));
    const sent = publisher.publish('s.one', bytes, { stream: 'S', lastSubjectSequence: 0 }, never);
    await expect(sent).rejects.toThrow('JetStream does not answer');
  });

  test('an answer that never comes, or says nothing, leaves it unknown', async () => {
    const connection = await connectedTo((await server()).url);
    const publisher = publisherOver(connection);
    const expected = { stream: 'S', lastSubjectSequence: 0 };
    connection.subscribe('silent', { callback: () => undefined });
    await expect(publisher.publish('silent', bytes, expected, 50)).rejects.toThrow('no answer within 50 ms');
    for (const words of ['', 'no JSON', '{}', '{"seq":0}']) {
      const one = connection.subscribe('odd', { callback: (_, message) => void message.respond(words) });
      const error = await publisher.publish('odd', bytes, expected, never).catch((thrown: unknown) => thrown);
      expect(error, words).toBeInstanceOf(Error);
      expect(error, words).not.toBeInstanceOf(JetStreamApiError);
      one.unsubscribe();
    }
  });

  test('a server that does not let us hear its answers is not waited for', async () => {
    const limits = 'permissions: { subscribe: { deny: "_INBOX.>" } }';
    const more = `authorization { users: [{ user: ann, password: hunter22, ${limits} }] }`;
    const nats = await server({ ...safe, more });
    const publisher = publisherOver(await connectedTo(nats.url, { user: 'ann', pass: 'hunter22' }));
    for (const subject of ['s.one', 's.two'])
      await expect(publisher.publish(subject, bytes, { stream: 'S', lastSubjectSequence: 0 }, never)).rejects.toThrow(
        /permission/i,
      );
  });

  test('nobody waits for a connection that is closed', async () => {
    const connection = await connectedTo((await server()).url);
    connection.subscribe('silent', { callback: () => undefined });
    const publisher = publisherOver(connection);
    const sent = publisher.publish('silent', bytes, { stream: 'S', lastSubjectSequence: 0 }, never);
    const told = expect(sent).rejects.toThrow('the connection is closed');
    await connection.close();
    await told;
    await expect(publisher.publish('silent', bytes, { stream: 'S', lastSubjectSequence: 0 }, never)).rejects.toThrow();
  });

  test('it is stored once the connection is back', async () => {
    const nats = await server();
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 20 });
    closing.push(() => connection.close());
    await (await jetstreamManager(connection)).streams.add({ name: 'S', subjects: ['s.>'] });
    const publisher = publisherOver(connection);
    const expected = { stream: 'S', lastSubjectSequence: 0 };
    expect(await publisher.publish('s.one', bytes, expected, never)).toBe(1);
    const back = (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnect') return;
    })();
    await nats.kill();
    await nats.start();
    await back;
    expect(await publisher.publish('s.two', bytes, expected, never)).toBe(2);
  });
});
