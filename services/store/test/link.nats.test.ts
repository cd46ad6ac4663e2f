import type { DomainError } from '@stopgo/core';
import { afterEach, expect, test } from 'vitest';
import type { OpenedLink } from '../src/adapters/nats/link.ts';
import { checked, closeAll, manage, server } from './nats-link.ts';
import { describeWithNats, safe } from './nats-server.ts';
import { until } from './until.ts';

afterEach(closeAll);

describeWithNats('a connection that is lost', () => {
  async function unavailableNow(link: OpenedLink): Promise<string> {
    return link
      .ask(async () => 'answered')
      .catch((error: DomainError) => {
        expect(error).toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
        return error.message;
      });
  }

  test('fails what needs it at once, also what is under way; and is back by itself', async () => {
    const nats = await server();
    const { link, lines } = await checked(nats);
    let back = 0;
    link.onBack(() => back++);
    const underWay = link.ask(() => new Promise(() => undefined));
    underWay.catch(() => undefined);
    await nats.kill();
    await expect(underWay).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await unavailableNow(link)).toMatch(/^NATS at 127.*cannot be used now: the connection is lost; try again$/);
    await nats.start();
    await until('the connection', () => link.connected());
    expect(await unavailableNow(link)).toBe('answered');
    expect(back).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^warn: NATS at .*: the connection is lost; what needs it is refused until it is back$/),
      expect.stringMatching(/^info: NATS at .*: the connection is back$/),
    ]);
  });

  test('is noticed also when the server stands still', async () => {
    const nats = await server();
    const { link } = await checked(nats);
    const underWay = link.ask(() => link.connection.request('nobody.answers', '', { timeout: 60_000, noMux: false }));
    underWay.catch(() => undefined);
    nats.freeze();
    const hanging = link.ask(() => new Promise(() => undefined));
    await expect(hanging).rejects.toMatchObject({ kind: 'unavailable' });
    nats.thaw();
    await until('the connection', () => link.connected());
  });

  test('is not used while the server that is back would lose what it acknowledges', async () => {
    const nats = await server();
    const { link, lines } = await checked(nats);
    await nats.kill();
    await nats.start({ jetstream: 'sync_interval: "2m"', monitor: true });
    await until('the error line', () => lines.some((line) => line.startsWith('error: ')));
    expect(lines.at(-1)).toMatch(/^error: NATS is back and not used: what NATS at .* may be lost in a power cut/);
    expect(await unavailableNow(link)).toMatch(/cannot be used now: what NATS at .* it has no sync_interval: always/);
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(1);
    await nats.kill();
    await nats.start(safe);
    await until('the connection', () => link.connected());
  });

  test('is not used when another log is behind it', async () => {
    const nats = await server();
    const { link, lines } = await checked(nats);
    await nats.kill();
    await nats.start();
    await until('the connection', () => link.connected());
    await manage(nats, (manager) => manager.streams.delete('STOPGO'));
    await nats.kill();
    await nats.start();
    await until('the error line', () => lines.some((line) => line.startsWith('error: ')));
    expect(lines.at(-1)).toMatch(/the stream STOPGO of NATS at .* is gone, and the event log with it/);
    await checked(nats);
    await until('the other error', () => lines.filter((line) => line.startsWith('error: ')).length === 2);
    expect(lines.at(-1)).toMatch(/is another one than this replica began with; restart the store$/);
    expect(link.connected()).toBe(false);
  });
});
