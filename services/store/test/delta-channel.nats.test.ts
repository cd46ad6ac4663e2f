import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { NatsDeltas } from '../src/adapters/nats/deltas.ts';
import { delta, deltaChannelContract, watching } from './delta-channel.contract.ts';
import { checked, closeAll, closing, server } from './nats-link.ts';
import { describeWithNats, type NatsServer } from './nats-server.ts';
import { until } from './until.ts';

afterEach(closeAll);

/** A replica of its own connection. */
async function replica(nats: NatsServer) {
  const { link } = await checked(nats);
  const channel = new NatsDeltas({ link, replica: randomUUID(), now: () => performance.now() });
  closing.push(() => channel.close());
  return { link, channel };
}

deltaChannelContract('in NATS, two replicas', describeWithNats, async () => {
  const nats = await server();
  const [{ channel: one }, { channel: other }] = [await replica(nats), await replica(nats)];
  const stop = () => {
    one.close();
    other.close();
  };
  return { one, other, stop, close: async () => undefined };
});

describeWithNats('delta channel in NATS', () => {
  test('nothing is sent while nobody watches, and to nobody who does not', async () => {
    const nats = await server();
    const [one, other] = [await replica(nats), await replica(nats)];
    const listener = await connect({ servers: nats.url });
    closing.push(() => listener.close());
    const sent: string[] = [];
    const wiretap = listener.subscribe('stopgo.deltas.>', { callback: (_, { subject }) => void sent.push(subject) });
    await listener.flush();
    const [id, alone] = [randomUUID(), randomUUID()];
    watching(one.channel, alone);
    const watcher = watching(other.channel, id);
    await until('the interest', () => one.channel.watchers(id) === 1);
    one.channel.publish(delta(randomUUID(), 'nobody'));
    one.channel.publish(delta(alone, 'own watchers only'));
    one.channel.publish(delta(id, 'heard'));
    await until('the piece', () => watcher.given.length > 0 && sent.length > 0);
    await Promise.all([listener.flush(), one.link.connection.flush()]);
    expect(sent).toEqual([`stopgo.deltas.${id}`]);
    watcher.leave();
    await until('the end of the interest', () => one.channel.watchers(id) === 0);
    one.channel.publish(delta(id, 'nobody'));
    await Promise.all([one.link.connection.flush(), listener.flush()]);
    expect(sent).toHaveLength(1);
    // Nor does anybody listen any more.
    wiretap.unsubscribe();
    await listener.flush();
    await expect(listener.request(`stopgo.deltas.${id}`)).rejects.toThrow(/no responders/);
  });

  test('a replica that comes later learns at once who watches where', async () => {
    const nats = await server();
    const id = randomUUID();
    const first = await replica(nats);
    watching(first.channel, id);
    const listener = await connect({ servers: nats.url });
    closing.push(() => listener.close());
    let questions = 0;
    listener.subscribe('stopgo.watched.ask', { callback: () => void questions++ });
    await listener.flush();
    const { channel, link } = await replica(nats);
    await until('the question', () => questions === 1);
    await link.connection.flush();
    await until('the interest', () => channel.watchers(id) === 1);
  });

  test('what a replica watched that died is forgotten; what lives stays', async () => {
    const nats = await server();
    let now = 0;
    const id = randomUUID();
    const { link } = await checked(nats);
    const channel = new NatsDeltas({ link, replica: randomUUID(), now: () => now });
    closing.push(() => channel.close());
    const [dead, alive] = [await replica(nats), await replica(nats)];
    watching(dead.channel, id);
    await until('the interest', () => channel.watchers(id) === 1);
    // As in a crash: nobody is told.
    await dead.link.connection.close();
    const living = watching(alive.channel, id);
    await until('the interest', () => channel.watchers(id) === 2);
    now = 6_001;
    expect(channel.watchers(id)).toBe(0);
    await until('the renewal', () => channel.watchers(id) === 1);
    expect(channel.publish(delta(id, 'x'))).toBe(1);
    await until('the piece', () => living.given.length === 1);
  });

  test('a lost connection ends no watch: pieces of this replica come on, and the others again when it is back', async () => {
    const nats = await server();
    const [one, other] = [await replica(nats), await replica(nats)];
    const id = randomUUID();
    const [here, there] = [watching(one.channel, id), watching(other.channel, id)];
    await until('the interest', () => one.channel.watchers(id) === 2);
    await nats.kill();
    await until('the loss', () => !one.link.connected() && !other.link.connected());
    one.channel.publish(delta(id, 'during'));
    await until('the piece', () => here.given.length === 1);
    await nats.start();
    await until('the connections', () => one.link.connected() && other.link.connected());
    await until('the interest', () => one.channel.watchers(id) === 2);
    one.channel.publish(delta(id, 'after'));
    await until('the piece', () => there.given.length > 0);
    expect([here.given, there.given]).toEqual([['during', 'after'], ['after']]);
  });

  test('what a stranger says does no harm, and what is watched becomes no subject', async () => {
    const nats = await server();
    const [one, other] = [await replica(nats), await replica(nats)];
    const id = randomUUID();
    for (const wild of ['*', '>', 'a b', '', `${id}\r\nPUB x 0\r\n`]) watching(one.channel, wild);
    const watcher = watching(one.channel, id);
    await until('the interest', () => other.channel.watchers(id) === 1);
    const { connection } = other.link;
    for (const text of ['', '{', '[]', '{"replica":1}', '{"replica":"x","watched":[1,["a",1],["*",-1]]}'])
      connection.publish('stopgo.watched', text);
    connection.publish(`stopgo.deltas.${id}`, new Uint8Array([255]));
    other.channel.publish(delta(randomUUID(), 'elsewhere'));
    other.channel.publish(delta(id, 'here'));
    await until('the piece', () => watcher.given.length > 0);
    expect(watcher.given).toEqual(['here']);
    expect(other.channel.watchers(id)).toBe(1);
  });
});
