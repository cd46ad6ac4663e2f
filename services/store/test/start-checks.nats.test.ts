import { rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DiscardPolicy, PersistMode, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { DomainError } from '@stopgo/core';
import { afterEach, describe, expect, test } from 'vitest';
import { parseNatsUrl } from '../src/adapters/nats/address.ts';
import { openLink } from '../src/adapters/nats/link.ts';
import { type NatsStoreOptions, startStoreOnNats } from '../src/start-on-nats.ts';
import { keepingLog } from './log-lines.ts';
import { checked, closeAll, closing, defaults, manage, server } from './nats-link.ts';
import { describeWithNats, type NatsServer, type NatsSettings, safe } from './nats-server.ts';
import { freshDirectory } from './sqlite-log.ts';
import { until } from './until.ts';

afterEach(closeAll);

/** The line that a start is refused with. */
async function refusal(options: Partial<NatsStoreOptions> & Pick<NatsStoreOptions, 'url'>): Promise<string> {
  const dataDir = freshDirectory();
  const { log, lines } = keepingLog();
  try {
    const running = await startStoreOnNats({ ...defaults, dataDir, log, ...options });
    await running.stop();
    return `started: ${lines.join('|')}`;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') throw error;
    return error.message;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** A server that greets like one of NATS, with another word about itself, and answers nothing but pings. */
async function greeting(info: object): Promise<string> {
  const fake: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify({ server_id: 'F', version: '2.15.1', max_payload: 1048576, ...info })}\r\n`);
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'));
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => fake.close(resolve)));
  const address = fake.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('a server that says of itself what cannot be', () => {
  test.each<[string, object, string]>([
    [
      'too old',
      { version: '2.9.10' },
      'is version 2.9.10, which is too old for the event log; update it to 2.10.0 or newer',
    ],
    [
      'small messages only',
      { max_payload: 65_536 },
      'takes messages of at most 65536 bytes; set max_payload to 1MB (1048576) or more in its configuration',
    ],
  ])('%s', async (_, info, line) => {
    const address = await greeting(info);
    expect(await refusal({ url: address })).toBe(`NATS at ${address} ${line}`);
  });
});

describeWithNats('the start on NATS', () => {
  test('with a server as it is shipped makes the stream, once; its log id stays', async () => {
    const nats = await server();
    const first = await checked(nats);
    expect(first.lines).toEqual([]);
    expect(first.logId).toMatch(/^[0-9a-f-]{36}$/);
    await nats.kill();
    await nats.start();
    expect((await checked(nats)).logId).toBe(first.logId);
  });

  test('of two replicas at once makes one log', async () => {
    const nats = await server();
    const [one, two] = await Promise.all([checked(nats), checked(nats)]);
    expect(one.logId).toBe(two.logId);
  });

  test('waits for a server that is late, and says so', async () => {
    const nats = await server();
    await nats.kill();
    const { log, lines } = keepingLog();
    const opening = openLink({ address: parseNatsUrl(nats.url), log, signal: new AbortController().signal, name: 'x' });
    await until('the line that says what it waits for', () => lines.length > 0);
    await nats.start();
    const link = await opening;
    closing.push(() => link.close());
    expect(lines).toEqual([
      expect.stringMatching(/^warn: NATS at 127\.0\.0\.1:\d+: waiting for it .*refused/),
      expect.stringMatching(/^info: NATS at .*: there now$/),
    ]);
  });

  test('whose wait is given up ends', async () => {
    const nats = await server();
    await nats.kill();
    const { log, lines } = keepingLog();
    const giveUp = new AbortController();
    const dataDir = freshDirectory();
    closing.push(() => rmSync(dataDir, { recursive: true }));
    const starting = startStoreOnNats({ ...defaults, url: nats.url, dataDir, log, signal: giveUp.signal });
    await until('the line that says what it waits for', () => lines.length > 0);
    giveUp.abort();
    await expect(starting).rejects.toMatchObject({ kind: 'canceled' });
  });

  test('with a wrong password, or none, is refused without showing it', async () => {
    const nats = await server({ ...safe, user: { name: 'ann', password: 'hunter22' } });
    const address = parseNatsUrl(nats.url).shown;
    const mend = 'give NATS_URL the user and password that the server knows';
    expect(await refusal({ url: nats.url.replace('hunter22', 'hunter23') })).toBe(
      `NATS at ${address} refuses the credentials of NATS_URL; ${mend}`,
    );
    expect(await refusal({ url: `nats://${address}` })).toBe(
      `NATS at ${address} refuses a connection without credentials; ${mend}`,
    );
    await checked(nats);
  });

  test('without JetStream is refused', async () => {
    const nats = await server({ monitor: true });
    expect(await refusal({ url: nats.url })).toMatch(/ has JetStream off, .* add a block jetstream \{ store_dir: … \}/);
  });

  test('with a message size that is too small is refused', async () => {
    const nats = await server({ ...safe, more: 'max_payload: 512KB' });
    expect(await refusal({ url: nats.url })).toMatch(/ takes messages of at most 524288 bytes; set max_payload to 1MB/);
  });

  test('with more replicas than servers is refused', async () => {
    const nats = await server();
    expect(await refusal({ url: nats.url, monitorUrl: nats.monitorUrl, replicas: 3 })).toMatch(
      /3 replicas need a cluster of as many servers, and this is one server; set nats\.replicas to 1/,
    );
  });
});

describeWithNats('what is acknowledged and not on disk', () => {
  test.each<[string, NatsSettings, (nats: NatsServer) => { monitorUrl?: string }, RegExp]>([
    [
      'a server that writes through every two minutes',
      { jetstream: 'sync_interval: "2m"', monitor: true },
      ({ monitorUrl }) => ({ monitorUrl }),
      /: it has no sync_interval: always; set sync_interval: always in its jetstream block and restart it;/,
    ],
    [
      'no monitoring address',
      safe,
      () => ({}),
      /: no NATS_MONITOR_URL says where it shows its settings; set sync_interval/,
    ],
    [
      'a monitoring address where nobody is',
      { jetstream: 'sync_interval: always' },
      ({ monitorUrl }) => ({ monitorUrl }),
      /: its monitoring address http:\/\/127\.0\.0\.1:\d+ does not tell \(.*ECONNREFUSED.*\); check NATS_MONITOR_URL/,
    ],
    [
      'an address that is none',
      safe,
      () => ({ monitorUrl: 'http://ann:hunter22@127.0.0.1' }),
      /: NATS_MONITOR_URL is no address such as http:\/\/127\.0\.0\.1:8222; give it/,
    ],
  ])('%s is refused, and with an accepted risk warned about', async (_, settings, monitor, line) => {
    const nats = await server(settings);
    const { monitorUrl } = monitor(nats);
    const refused = await refusal({ url: nats.url, ...(monitorUrl === undefined ? {} : { monitorUrl }) });
    expect(refused).toMatch(/^what NATS at 127\.0\.0\.1:\d+ acknowledges may be lost in a power cut: /);
    expect(refused).toMatch(line);
    expect(refused).toMatch(/or accept the risk with nats\.accept_unverified_durability: true$/);
    expect(refused).not.toContain('hunter22');
    const { lines } = await checked(nats, { accept: true, monitorUrl });
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines[0]).toMatch(/^warn: /);
  });

  test('a server that is killed before its monitoring address has told is waited for', async () => {
    const nats = await server(safe);
    let asked = 0;
    const monitor = createHttpServer((_request, response) => {
      asked += 1;
      if (asked > 1)
        return void fetch(`${nats.monitorUrl}/varz`).then(
          async (shown) => response.end(await shown.text()),
          () => response.destroy(),
        );
      // As a proxy before it says.
      void nats.kill().then(async () => {
        response.writeHead(502).end();
        await nats.start();
      });
    });
    await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
    closing.push(() => monitor.close());
    closing.push(() => monitor.closeAllConnections());
    const { lines } = await checked(nats, {
      monitorUrl: `http://127.0.0.1:${(monitor.address() as AddressInfo).port}`,
    });
    expect(lines.join('|')).toMatch(
      /warn: JetStream of NATS at \S+: waiting for it .*\|info: JetStream of NATS at \S+: there now/,
    );
    expect(asked).toBeGreaterThan(1);
  });

  test.each<[string, RegExp, (socket: Socket) => void]>([
    ['breaks off', /ECONNRESET/, (socket) => void socket.resetAndDestroy()],
    ['closes the connection', /other side closed/, (socket) => void socket.destroy()],
    [
      'closes it in the midst of its answer',
      /other side closed/,
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"server'),
    ],
  ])('a monitoring address that %s is waited for', async (_, reason, breakOff) => {
    const nats = await server(safe);
    let asked = 0;
    // It takes the first question and breaks off; then it is a way to the server's own.
    const monitor = createHttpServer((_request, response) => {
      asked += 1;
      if (asked === 1) return void (response.socket && breakOff(response.socket));
      void fetch(`${nats.monitorUrl}/varz`).then(async (shown) => response.end(await shown.text()));
    });
    await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
    try {
      const monitorUrl = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}`;
      const { lines } = await checked(nats, { monitorUrl });
      expect(lines.join('|')).toMatch(/^warn: JetStream of NATS at \S+: waiting for it .*\|info: .*there now$/);
      expect(lines[0]).toMatch(reason);
      expect(asked).toBe(2);
    } finally {
      monitor.closeAllConnections();
      monitor.close();
    }
  });

  test.each([
    ['of another name', ''],
    ['of the same name', 'server_name: same'],
  ])('the monitoring address of another server %s proves nothing', async (_, more) => {
    const [nats, other] = [await server({ ...safe, more }), await server({ ...safe, more })];
    expect(await refusal({ url: nats.url, monitorUrl: other.monitorUrl })).toMatch(
      /is of the server \w+ \(\w+\), and the stream STOPGO is kept by another, \w+; give NATS_MONITOR_URL the address/,
    );
    await checked(nats);
  });
});

describeWithNats('a stream that somebody made', () => {
  const good = {
    ...{ name: 'STOPGO', subjects: ['stopgo.events.>'], storage: StorageType.File, discard: DiscardPolicy.New },
    ...{ deny_delete: true, deny_purge: true, allow_direct: true, metadata: { 'stopgo.log_id': 'x' } },
  };

  test('as the store would make it is taken', async () => {
    const nats = await server();
    await manage(nats, (manager) => manager.streams.add(good));
    expect((await checked(nats)).logId).toBe('x');
  });

  test.each<[string, Partial<StreamConfig>, string]>([
    ['forgets after a day', { max_age: 86_400_000_000_000 }, 'max_age is 86400000000000 and must be 0'],
    ['is in memory', { storage: StorageType.Memory }, 'storage is memory and must be file'],
    ['forgets what is too much', { max_msgs: 1_000 }, 'max_msgs is 1000 and must be unlimited (-1)'],
    ['forgets what is too large', { max_bytes: 1_000_000 }, 'max_bytes is 1000000 and must be unlimited (-1)'],
    ['keeps a few of each', { max_msgs_per_subject: 5 }, 'max_msgs_per_subject is 5 and must be unlimited (-1)'],
    ['drops the oldest', { discard: DiscardPolicy.Old }, 'discard is old and must be new'],
    ['may be deleted from', { deny_delete: false }, 'deny_delete is false and must be true'],
    ['may be purged', { deny_purge: false }, 'deny_purge is false and must be true'],
    ['may be rolled up', { deny_purge: false, allow_rollup_hdrs: true }, 'allow_rollup_hdrs is true and must be false'],
    ['is no log', { retention: RetentionPolicy.Workqueue }, 'retention is workqueue and must be limits'],
    [
      'takes small messages',
      { max_msg_size: 1_000 },
      'max_msg_size is 1000 and must be unlimited (-1) or at least 1048576',
    ],
    [
      'takes other subjects',
      { subjects: ['stopgo.events.>', 'x'] },
      'subjects is ["stopgo.events.>","x"] and must be stopgo.events.>',
    ],
    ['gives no direct answers', { allow_direct: false }, 'allow_direct is false and must be true'],
    ['acknowledges nothing', { no_ack: true }, 'no_ack is true and must be false'],
    ['begins late', { first_seq: 10 }, 'first_seq is 10 and must be 1'],
    ['writes later', { persist_mode: PersistMode.Async }, 'persist_mode is async and must be default'],
    [
      'changes subjects',
      { subject_transform: { src: 'stopgo.events.>', dest: 'other.>' } },
      'subject_transform is set and must be unset',
    ],
  ])('and that %s is refused', async (_, other, problem) => {
    const nats = await server();
    await manage(nats, (manager) => manager.streams.add({ ...good, ...other }));
    const line = await refusal({ url: nats.url, monitorUrl: nats.monitorUrl });
    expect(line).toMatch(/^the stream STOPGO of NATS at 127\.0\.0\.1:\d+ cannot hold the event log: /);
    expect(line).toContain(problem);
  });

  test('and that has no log id, or has another name, is refused', async () => {
    const nats = await server();
    await checked(nats);
    expect(await refusal({ url: nats.url, monitorUrl: nats.monitorUrl, stream: 'OTHER' })).toMatch(
      /^the stream OTHER of NATS at .* cannot be made: another stream holds stopgo\.events\.>; set nats\.stream to its name/,
    );
    await manage(nats, (manager) => manager.streams.update('STOPGO', { metadata: {} }));
    expect(await refusal({ url: nats.url, monitorUrl: nats.monitorUrl })).toMatch(
      / has no stopgo\.log_id in its metadata, .*; run: nats stream edit STOPGO --metadata stopgo\.log_id:/,
    );
  });
});
