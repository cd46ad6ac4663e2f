import { rmSync } from 'node:fs';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NoSpace } from '../src/adapters/jetstream/no-space.ts';
import { startStoreOnNats } from '../src/start-on-nats.ts';
import { keepingLog } from './log-lines.ts';
import { closeAll, closing, defaults, server } from './nats-link.ts';
import { describeWithNats, safe } from './nats-server.ts';
import { freshDirectory } from './sqlite-log.ts';
import { underWay } from './store-blobs.contract.ts';
import { Story } from './story.ts';

afterEach(closeAll);

const taken = (): boolean => true;
const refused = (): boolean => false;

const minute = 60_000;

describe('servers without space', () => {
  let now: number;
  let kept: ReturnType<typeof keepingLog>;
  let space: NoSpace;
  beforeEach(() => {
    [now, kept] = [0, keepingLog()];
    space = new NoSpace(kept.log, () => now);
  });

  test('are told at once and then once a minute, with how many appends they refused', () => {
    for (; now < 2 * minute; now += 1_000) space.refused(10);
    expect(kept.lines).toEqual([
      expect.stringMatching(
        /^error: the event log \(NATS\) has no space left: what it refuses may be recorded or not; .*"refused":1}/,
      ),
      expect.stringMatching(/^error: the event log \(NATS\) has no space left: .*"refused":61}/),
    ]);
  });

  const again = 'info: the event log (NATS) takes what it is handed again';

  test('are believed until as much is stored, which is told once, or nobody was refused for a minute', () => {
    space.stored(10);
    space.refused(10);
    now = minute;
    expect(space.problem?.reason).toBe('disk_full');
    space.refused(20);
    space.stored(9);
    expect(space.problem?.reason).toBe('disk_full');
    space.stored(10);
    space.stored(10);
    expect(space.problem).toBeUndefined();
    expect(kept.lines.slice(2)).toEqual([`${again} {"seconds":60,"refused":2}`]);
    space.refused(10);
    now = 2 * minute + 1;
    expect(space.problem).toBeUndefined();
  });

  test('are told of with the time in which they refused, not with what passed until somebody tried again', () => {
    space.refused(10);
    now = 5_000;
    space.refused(10);
    now = 60 * minute;
    space.stored(10);
    expect(kept.lines.slice(1)).toEqual([`${again} {"seconds":5,"refused":2}`]);
  });

  test('are told of anew when they refuse after an hour in which nobody tried', () => {
    space.refused(10);
    now = 60 * minute;
    space.refused(10);
    now += 3_000;
    space.refused(10);
    space.stored(10);
    expect(kept.lines.slice(1)).toEqual([
      expect.stringMatching(/^error: .*"refused":1}/),
      `${again} {"seconds":3,"refused":2}`,
    ]);
  });

  test('that refuse and store by turns are told of once a minute', () => {
    for (; now < minute; now += 1_000) {
      space.refused(10);
      space.stored(10);
    }
    expect(kept.lines.map((line) => line.slice(0, 5))).toEqual(['error', 'info:']);
  });
});

describeWithNats('a server without space', () => {
  test('refuses appends, everybody is told so, and it goes on when it has space', { timeout: 60_000 }, async () => {
    const nats = await server({ ...safe, jetstream: 'sync_interval: always\n  max_file_store: 8MB' });
    const dataDir = freshDirectory();
    closing.push(() => rmSync(dataDir, { recursive: true }));
    const { log, lines } = keepingLog();
    const { url, monitorUrl } = nats;
    const running = await startStoreOnNats({ ...defaults, url, monitorUrl, dataDir, log, openStreamsMax: 10 });
    closing.push(() => running.stop());
    const client = createInProcessClient(store.StoreService, running.service);
    const append = () => client.append(new Story().created());
    const story = await underWay(client);
    const holder = { conversationId: story.id, runId: story.runId, callId: 'root#1.0' };
    const keep = () => client.putBlob({ bytes: new Uint8Array(1_000), holder });
    expect(await client.getCondition({})).toMatchObject({ problem: '' });

    const connection = await connect({ servers: nats.url });
    closing.push(() => connection.close());
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'other', subjects: ['other'] });
    const publisher = jetstream(connection);
    // Each piece is smaller than the one before: in the end there is no space for anything.
    for (let bytes = 500_000; bytes >= 1; bytes = Math.floor(bytes / 2))
      while (await publisher.publish('other', new Uint8Array(bytes)).then(taken, refused));
    await expect(keep()).rejects.toMatchObject({ kind: 'unavailable', details: { reason: 'disk_full' } });
    expect(await client.getCondition({})).toMatchObject({ reason: 'disk_full' });
    // A server alone would know that nothing was recorded; one of a cluster says the same where others may have recorded it.
    await expect(append()).rejects.toMatchObject({ kind: 'unavailable', details: { reason: 'disk_full' } });
    await expect(append()).rejects.not.toHaveProperty('details.recorded');
    expect(await client.getCondition({})).toMatchObject({ reason: 'disk_full' });
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(1);

    await manager.streams.delete('other');
    await keep();
    await append();
    expect(await client.getCondition({})).toMatchObject({ problem: '' });
    expect(lines.some((line) => line.startsWith('info: the event log (NATS) takes what it is handed again'))).toBe(
      true,
    );
  });
});
