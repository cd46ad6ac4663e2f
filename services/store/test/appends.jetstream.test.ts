import { rmSync } from 'node:fs';
import { decodeRecorded, parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventLog, StreamAppend } from '../src/event-log.ts';
import { verifyStream } from '../src/verify.ts';
import { append, never, stream, textOf } from './jetstream-fleet.ts';
import { makeStream, openReplica, type Replica } from './jetstream-log.ts';
import { describeWithNats, type NatsServer, safe, startNats } from './nats-server.ts';
import { TcpProxy } from './tcp-proxy.ts';

async function textsIn(log: EventLog, of = stream): Promise<string[]> {
  const { events } = await log.read(of, 1, 1_000);
  return events.map(({ event }) => textOf(event));
}

/** Appends until the outcome is known, as every caller of the store does. */
async function insist(log: EventLog, one: StreamAppend) {
  for (;;) {
    try {
      return await log.append(one);
    } catch (error) {
      expect(error).toMatchObject({ kind: 'unavailable' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describeWithNats('appends over JetStream', () => {
  let server: NatsServer;
  let proxy: TcpProxy;
  /** Reaches the server through the proxy. */
  let mine: Replica;
  let other: Replica;

  beforeEach(async () => {
    server = await startNats();
    await makeStream(server.url);
    proxy = await TcpProxy.to(Number(new URL(server.url).port));
    mine = await openReplica({ url: `nats://127.0.0.1:${proxy.port}` });
    other = await openReplica({ url: server.url });
  });
  afterEach(async () => {
    await Promise.all([mine.end(), other.end()]);
    await proxy.close();
    await server.remove();
    for (const { dataDir } of [mine, other]) rmSync(dataDir, { recursive: true });
  });

  const arrived = (text: string) => expect.poll(() => textsIn(other.events), { interval: 5 }).toContain(text);

  test('an answer that is lost, then a foreign append before the retry: the append is known by its key', async () => {
    await mine.events.append(append(0, 'first'));
    proxy.answers('swallow');
    const outcome = mine.events.append(append(1, 'mine'));
    await arrived('mine');
    expect(await other.events.append(append(2, 'theirs'))).toMatchObject({ kind: 'appended', revision: 3 });
    proxy.cut();
    expect(await outcome).toMatchObject({ kind: 'appended', revision: 2 });
    expect(await textsIn(mine.events)).toEqual(['first', 'mine', 'theirs']);
    expect(await verifyStream(mine.events, mine.views, stream, never)).toMatchObject({ events: 3, problems: [] });
  });

  test('a request that is lost is handed in again, and recorded once', async () => {
    await mine.events.append(append(0, 'first'));
    proxy.requests('swallow');
    const once = append(1, 'mine');
    const outcome = mine.events.append(once);
    proxy.cut();
    expect(await outcome).toMatchObject({ kind: 'appended', revision: 2 });
    const { events } = await other.events.read(stream, 2, 10);
    expect(events.map(({ event }) => decodeRecorded(event).eventId)).toEqual([once.events[0]?.eventId]);
    expect(await other.events.append(once)).toMatchObject({ kind: 'duplicate', revision: 2 });
  });

  test('a request that is lost, then a foreign append: a conflict that shows it', async () => {
    await mine.events.append(append(0, 'first'));
    proxy.requests('swallow');
    const outcome = mine.events.append(append(1, 'mine'));
    await other.events.append(append(1, 'theirs'));
    proxy.cut();
    const conflict = await outcome;
    expect(conflict).toMatchObject({ kind: 'conflict', revision: 2 });
    expect(conflict.kind === 'conflict' && conflict.unseen).toHaveLength(1);
    expect(await textsIn(other.events)).toEqual(['first', 'theirs']);
  });

  test('a request that lands after its caller gave up is not recorded again by the retry', async () => {
    await mine.events.append(append(0, 'first'));
    proxy.requests('hold');
    const late = append(1, 'late', { requestDigest: 'd' });
    await expect(mine.events.append(late)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
    expect(await textsIn(other.events)).toEqual(['first']);
    proxy.cut();
    await arrived('late');
    expect(await insist(mine.events, late)).toMatchObject({ revision: 2 });
    expect(await mine.events.append(late)).toMatchObject({ kind: 'duplicate', revision: 2, requestDigest: 'd' });
    expect(await textsIn(mine.events)).toEqual(['first', 'late']);
  });

  test('a request that would land after a foreign append is refused by the fence', async () => {
    await mine.events.append(append(0, 'first'));
    proxy.requests('hold');
    const outcome = mine.events.append(append(1, 'mine'));
    await expect.poll(() => proxy.heldRequests).toBeGreaterThan(0);
    await other.events.append(append(1, 'theirs'));
    proxy.requests('pass');
    expect(await outcome).toMatchObject({ kind: 'conflict', revision: 2 });
    expect(await textsIn(other.events)).toEqual(['first', 'theirs']);
  });

  test('appends of one stream through a wire that is cut again and again are each recorded once', async () => {
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`);
    for (const [revision, text] of texts.entries()) {
      const outcome = insist(mine.events, append(revision, text));
      if (revision % 3 === 0) proxy.answers('swallow');
      if (revision % 3 === 0) setImmediate(() => proxy.cut());
      expect(await outcome).toMatchObject({ revision: revision + 1, kind: expect.not.stringContaining('conflict') });
    }
    expect(await textsIn(other.events)).toEqual(texts);
  });

  test('a server killed in the middle of appends has every acknowledged one, once', async () => {
    const writers = Array.from({ length: 8 }, (_, n) => ({
      name: parseStreamName(`tool-w${n}`),
      acked: [] as string[],
    }));
    let stopped = false;
    const write = async ({ name, acked }: (typeof writers)[number], log: EventLog) => {
      for (let revision = 0; !stopped; revision++) {
        const one = append(revision, `${name} ${revision}`, { stream: name });
        const outcome = await insist(log, one);
        expect(outcome.kind).not.toBe('conflict');
        acked.push(`${name} ${revision}`);
      }
    };
    const all = Promise.all(writers.map((writer, n) => write(writer, n % 2 === 0 ? mine.events : other.events)));
    for (let kill = 1; kill <= 4; kill++) {
      const before = writers.map(({ acked }) => acked.length);
      const goesOn = () => writers.every(({ acked }, n) => acked.length > (before[n] ?? 0) + 2);
      await expect.poll(goesOn, { timeout: 15_000, interval: 5 }).toBe(true);
      await server.kill();
      await server.start();
    }
    stopped = true;
    await all;
    for (const { name, acked } of writers)
      for (const replica of [mine, other]) {
        expect(await textsIn(replica.events, name)).toEqual(acked);
        expect((await verifyStream(replica.events, replica.views, name, never)).problems).toEqual([]);
      }
  }, 60_000);

  test('while the server is away every call says so soon, and all goes on when it is back', async () => {
    await mine.events.append(append(0, 'first'));
    await server.kill();
    const started = performance.now();
    const away = { kind: 'unavailable', retryAfterMs: 1_000 };
    await expect(mine.events.append(append(1, 'x'))).rejects.toMatchObject(away);
    await expect(mine.views.caughtUp(never)).rejects.toMatchObject(away);
    await expect(mine.events.read(stream, 1, 10)).rejects.toMatchObject(away);
    // Far from the longest wait of any of them: a hang, not a measurement.
    expect(performance.now() - started).toBeLessThan(10_000);
    await server.start();
    expect(await insist(mine.events, append(1, 'second'))).toMatchObject({ kind: 'appended', revision: 2 });
    expect(await textsIn(other.events)).toEqual(['first', 'second']);
  });

  test('an append larger than a message may be is refused, and harms nothing', async () => {
    await server.kill();
    await server.start({ ...safe, more: 'max_payload: 65536' });
    await insist(mine.events, append(0, 'first'));
    await expect(mine.events.append(append(1, 'x'.repeat(70_000)))).rejects.toMatchObject({ kind: 'invalid_argument' });
    expect(await mine.events.append(append(1, 'x'.repeat(60_000)))).toMatchObject({ kind: 'appended' });
  });
});
