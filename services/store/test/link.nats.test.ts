import type { DomainError } from '@stopgo/core';
import { afterEach, expect, test } from 'vitest';
import type { OpenedLink } from '../src/adapters/nats/link.ts';
import { checked, closeAll, manage, server } from './nats-link.ts';
import { describeWithNats, safe } from './nats-server.ts';
import { until } from './until.ts';

afterEach(closeAll);

describeWithNats('a connection with a server that has something against us', () => {
  const user = { name: 'ann', password: 'hunter22' };

  test('that forbids a subject is told in the log, once', async () => {
    const limits = 'permissions: { publish: { deny: "forbidden" }, subscribe: { deny: "closed.>" } }';
    const more = `authorization { users: [{ user: ann, password: hunter22, ${limits} }] }`;
    const nats = await server({ ...safe, more });
    const { link, lines } = await checked({ ...nats, url: nats.url.replace('//', '//ann:hunter22@') });
    for (let times = 0; times < 3; times++) {
      link.connection.publish('forbidden');
      link.connection.subscribe('closed.door', { callback: () => undefined });
      await link.connection.flush();
    }
    const told = 'error: NATS at .* forbids this user what the store needs; grant it';
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${told} .*"publish","subject":"forbidden"`)),
      expect.stringMatching(new RegExp(`^${told} .*"subscription","subject":"closed.door"`)),
    ]);
  });

  test('that has another password when it is back is told, and used again once it is mended', async () => {
    const nats = await server({ ...safe, user });
    const { link, lines } = await checked(nats);
    await nats.kill();
    await nats.start({ ...safe, user: { ...user, password: 'changed1' } });
    let back = 0;
    link.onBack(() => back++);
    await until('the error line', () => lines.some((line) => line.startsWith('error: ')));
    await expect(link.ask(async () => 'answered')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the event log (NATS) cannot be used now; try again',
      cause: expect.objectContaining({
        message: expect.stringMatching(/cannot be used now: it refuses the credentials of NATS_URL$/),
      }),
    });
    await nats.kill();
    await nats.start({ ...safe, user });
    await until('the connection', () => link.connected());
    await link.connection.flush();
    expect([back, ...lines.map((line) => line.slice(0, 4))]).toEqual([1, 'warn', 'erro', 'info']);
    expect(lines.join()).not.toMatch(/hunter22|changed1/);
  });
});

describeWithNats('a connection that is lost', () => {
  async function unavailableNow(link: OpenedLink): Promise<string> {
    return link
      .ask(async () => 'answered')
      .catch((error: DomainError) => {
        expect(error).toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
        // Where it is and why, is for logs.
        expect(error.message).toBe('the event log (NATS) cannot be used now; try again');
        return String(error.cause);
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
    expect(await unavailableNow(link)).toMatch(/NATS at 127.*cannot be used now: the connection is lost$/);
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
