import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Delivered, type DeliverPorts, deliver } from '../../src/push/deliver.ts';
import { checkSettings } from '../../src/push/settings.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

/** A server on loopback that counts what reaches it. */
async function listening(answer: RequestListener) {
  const reached: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    reached.push(req);
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { reached, port: (server.address() as AddressInfo).port };
}

const ports = (more: Partial<DeliverPorts> = {}): DeliverPorts => ({
  resolve: async () => ['127.0.0.1'],
  allowPrivate: true,
  ...more,
});

const never = new AbortController().signal;
const send = (url: string, more: Partial<DeliverPorts> = {}) =>
  deliver(
    ports(more),
    { url, headers: { 'Content-Type': 'application/json', 'X-Test': 'a' }, body: '{"a":"ä"}' },
    never,
  );
const failedWith = (reason: RegExp): Delivered =>
  expect.objectContaining({ kind: 'failed', reason: expect.stringMatching(reason) });

test('the connection goes to the address that was judged, whatever else the name stands for', async () => {
  const { reached, port } = await listening((req, res) => {
    req.resume().on('end', () => res.writeHead(202).end('whatever'));
  });
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return ['127.0.0.1'];
  };
  // Nobody but the resolver of this test knows the name.
  expect(await send(`http://nowhere.invalid:${port}/hook`, { resolve })).toEqual({ kind: 'taken' });
  expect(asked).toEqual(['nowhere.invalid']);
  expect(reached.map(({ method, url, headers }) => [method, url, headers.host, headers['x-test']])).toEqual([
    ['POST', '/hook', `nowhere.invalid:${port}`, 'a'],
  ]);
});

test('a name that has come to stand for an address of our own is not told, though it was taken before', async () => {
  const { reached, port } = await listening((_req, res) => res.end());
  const url = `https://rebound.example:${port}/`;
  expect(checkSettings({ ...settings, url }, { allowPrivate: false }).url).toBe(url);
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::ffff:127.0.0.1'], ['fd00::1'], []])
    expect(await send(url, { allowPrivate: false, resolve: async () => addresses })).toEqual(
      failedWith(/not of the public network|no address/),
    );
  expect(await send(`http://127.0.0.1:${port}/`, { allowPrivate: false })).toEqual(failedWith(/not of the public/));
  // Also where private ones are allowed, what may leave the network does not leave it in clear.
  const both = async () => ['127.0.0.1', '93.184.216.34'];
  expect(await send(`http://both.example:${port}/`, { resolve: both })).toEqual(failedWith(/over https only/));
  expect(reached).toEqual([]);
});

test('what a notice says of addresses of our own counts for it alone', async () => {
  const { reached, port } = await listening((_req, res) => res.end());
  const told = (allowPrivate: boolean, isAllowed: boolean) =>
    deliver(
      ports({ allowPrivate }),
      { url: `http://a.example:${port}/`, headers: {}, body: '{}', ofOwnNetwork: { isAllowed, by: 'allow_private' } },
      never,
    );
  expect(await told(true, false)).toEqual(failedWith(/set allow_private if/));
  expect(reached).toEqual([]);
  expect(await told(false, true)).toEqual({ kind: 'taken' });
});

test('a redirect is not followed, and no other answer than a 2xx counts', async () => {
  const inside = await listening((_req, res) => res.end());
  for (const [status, reason, gone] of [
    [302, /redirect \(HTTP 302\)/, undefined],
    [307, /redirect \(HTTP 307\)/, undefined],
    [401, /HTTP 401/, undefined],
    [410, /HTTP 410/, true],
    [500, /HTTP 500/, undefined],
  ] as const) {
    const { port } = await listening((_req, res) =>
      res.writeHead(status, { Location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    const outcome = await send(`http://a.example:${port}/`);
    expect(outcome).toEqual(failedWith(reason));
    expect('gone' in outcome ? outcome.gone : undefined).toBe(gone);
  }
  expect(inside.reached).toEqual([]);
});

test('one that never answers, or never ends its answer, holds up nobody', async () => {
  const silent = await listening(() => undefined);
  expect(await send(`http://a.example:${silent.port}/`, { timeoutMs: 100 })).toEqual(failedWith(/in time/));
  let cut: () => void = () => undefined;
  const isCut = new Promise<void>((resolve) => {
    cut = resolve;
  });
  const endless = await listening((_req, res) => {
    res.once('close', cut);
    const more = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(16 * 1024)));
      if (!res.destroyed) res.once('drain', more);
    };
    more();
  });
  expect(await send(`http://a.example:${endless.port}/`)).toEqual({ kind: 'taken' });
  await isCut;
  const resolve = () => new Promise<never>(() => undefined);
  expect(await send('http://a.example/', { resolve, timeoutMs: 50 })).toEqual(failedWith(/in time/));
});

test('nobody there is a failure that names no address', async () => {
  const { port } = await listening(() => undefined);
  for (const act of undo.splice(0)) act();
  expect(await send(`http://127.0.0.1:${port}/secret-path`)).toEqual({
    kind: 'failed',
    reason: 'it cannot be reached (ECONNREFUSED)',
  });
});

const settings = { configId: '', url: '', token: '', scheme: '', credentials: '', protocolVersion: '1.0' };

test.each([
  ['http://there.example/', /https/],
  ['https://127.0.0.1/', /public network/],
  // However it is written.
  ['https://2130706433/', /public network/],
  ['https://0x7f.1/', /public network/],
  ['https://[::1]/', /public network/],
  ['https://[::ffff:10.0.0.1]/', /public network/],
  ['https://localhost/', /public network/],
  ['https://web.internal/', /public network/],
  ['https://ann@there.example/', /user or password/],
])('%s is refused where only the public network may be told', (url, problem) => {
  expect(() => checkSettings({ ...settings, url }, { allowPrivate: false })).toThrow(problem);
});

const metadata = [
  '169.254.169.254',
  '169.254.0.1',
  '[fe80::1]',
  '[febf::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2001::5601:5601]',
  '0.0.0.0',
  '255.255.255.255',
  '[ff02::1]',
  '100.100.100.200',
  '168.63.129.16',
  '0xa9fea9fe',
  'metadata',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'instance-data',
];
test.each(metadata)('%s is never told, whatever else may be', (host) => {
  for (const [scheme, allowPrivate] of [
    ['http', true],
    ['https', true],
    ['https', false],
  ] as const) {
    const url = `${scheme}://${host}/latest`;
    expect(() => checkSettings({ ...settings, url }, { allowPrivate })).toThrow(/never told/);
  }
});

test('nor is a name that stands for such an address, among others', async () => {
  const { reached, port } = await listening((_req, res) => res.end());
  for (const address of ['169.254.169.254', 'fe80::1%eth0', 'fd00:ec2::254', '::ffff:169.254.1.1'])
    expect(await send(`http://named.example:${port}/`, { resolve: async () => ['127.0.0.1', address] })).toEqual(
      failedWith(/never told/),
    );
  expect(reached).toEqual([]);
});

test.each([
  'http://10.0.0.7/',
  'http://[fd12::7]/',
  'http://192.168.1.1/',
  'http://127.0.0.1/',
  'http://metadata.example/',
])('%s may be told where private ones may', (url) => {
  expect(checkSettings({ ...settings, url }, { allowPrivate: true }).url).toBe(url);
});

test.each([
  ['http://8.8.8.8/', /public network/],
  ['http://[::ffff:8.8.8.8]/', /public network/],
  ['file:///etc/passwd', /https/],
])('%s is refused also where one may tell addresses of one’s own', (url, problem) => {
  expect(() => checkSettings({ ...settings, url }, { allowPrivate: true })).toThrow(problem);
});

test('a config that is refused repeats no secret', () => {
  const wrong = {
    ...settings,
    url: 'https://a.example/',
    token: 'sec\nret',
    scheme: 'Bearer',
    credentials: 'ab\u0001c',
  };
  for (const one of [wrong, { ...wrong, token: '' }, { ...wrong, url: 'xyz\nzyx' }]) {
    const refused = (): unknown => checkSettings(one, { allowPrivate: false });
    expect(refused).toThrow(/push config/);
    expect(refused).not.toThrow(/xyz|zyx/);
  }
});
