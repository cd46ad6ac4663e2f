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
    for (words of ['', '{}', '{"state":{}}', '{"state":{"last_seq":"7"}}'])
      await expect(leader.lastSequence(), words).rejects.toMatchObject({ kind: 'unavailable' });
    words = '{"error":{"code":404,"err_code":10059,"description":"stream not found"}}';
    await expect(leader.lastSequence()).rejects.toMatchObject({
      kind: 'unavailable',
      cause: expect.objectContaining({ code: 10059 }),
    });
  });
});
