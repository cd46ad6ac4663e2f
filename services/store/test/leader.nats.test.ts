import { connect } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { Leader, type LeaderParts } from '../src/adapters/jetstream/leader.ts';
import { closeAll, closing, server } from './nats-link.ts';
import { describeWithNats, safe } from './nats-server.ts';

afterEach(closeAll);

describeWithNats('where the log ends', () => {
  test('is what the stream says; any other answer leaves it unknown', async () => {
    // Without JetStream the test itself can be the one that answers.
    const { url } = await server({ ...safe, jetstream: undefined });
    const connection = await connect({ servers: url });
    closing.push(() => connection.close());
    let words = '';
    connection.subscribe('$JS.API.STREAM.INFO.S', { callback: (_, message) => void message.respond(words) });
    const link: LeaderParts['link'] = { connection, ask: (request) => request() };
    const leader = new Leader({ link, manager: {} as LeaderParts['manager'], streamName: 'S' });
    words = '{"config":{"name":"S"},"state":{"messages":3,"first_seq":4,"last_seq":7}}';
    expect(await leader.lastSequence()).toBe(7);
    // In a cluster: what the leader hears of the others decides. One that keeps the only copy has no others.
    const inCluster = (cluster: object) =>
      JSON.stringify({ cluster: { name: 'c', ...cluster }, state: { last_seq: 7 } });
    const heard = (...ms: number[]) => ({
      leader: 'a',
      replicas: ms.map((each) => ({ name: 'n', active: 1e6 * each })),
    });
    const replicas = heard(1, 1).replicas;
    for (const cluster of [
      { leader: 'a' },
      heard(900, 850),
      heard(20, 60_000),
      heard(3_000, 0),
      heard(1, 2, 9_000, 0),
    ]) {
      words = inCluster(cluster);
      expect(await leader.lastSequence(), words).toBe(7);
    }
    const unsure = [
      {},
      { replicas },
      { leader: '', replicas },
      heard(3_001, 3_001),
      heard(0, 0),
      heard(1, 9_000, 9_000),
    ];
    for (const cluster of unsure) {
      words = inCluster(cluster);
      await expect(leader.lastSequence(), words).rejects.toMatchObject({ kind: 'unavailable' });
    }
    for (words of ['', '{}', '{"state":{}}', '{"state":{"last_seq":"7"}}'])
      await expect(leader.lastSequence(), words).rejects.toMatchObject({ kind: 'unavailable' });
    words = '{"error":{"code":404,"err_code":10059,"description":"stream not found"}}';
    await expect(leader.lastSequence()).rejects.toMatchObject({
      kind: 'unavailable',
      cause: expect.objectContaining({ code: 10059 }),
    });
  });
});
