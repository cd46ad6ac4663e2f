import { expect, test } from 'vitest';
import { NotAllowed } from '../src/failures.ts';
import { addressProblem, type KnownPlaces } from '../src/lines/address-rules.ts';
import { checkedAgent, checkLiteral, type Lookup } from '../src/lines/checked-agent.ts';
import { createHttpFetch } from '../src/lines/http-fetch.ts';
import { afterwards, eventually, httpServer, startBridge } from './support/bridge.ts';
import { json, legacyServer, listen } from './support/http.ts';

test('a name that stood for an address outside does not stand for one inside later; the other way round it may', () => {
  const known: KnownPlaces = new Map();
  expect(addressProblem('tools.example', ['93.184.216.34'], known)).toBeUndefined();
  for (const inside of ['127.0.0.1', '10.0.0.1'])
    expect(addressProblem('tools.example', ['93.184.216.34', inside], known)).toMatch(
      /^tools\.example \(1.*\) is inside \(.*\), and the name stood for an address outside before/,
    );
  expect(addressProblem('home.example', ['127.0.1.1'], known)).toBeUndefined();
  expect(addressProblem('home.example', ['192.168.1.4'], known)).toBeUndefined();
  expect(addressProblem('home.example', ['93.184.216.34'], known)).toBeUndefined();
});

test('what a name stands for is looked at when the connection is made', async () => {
  const place = await listen((_, response) => json(response, {}));
  const port = new URL(place.url).port;
  const standsFor =
    (address: string): Lookup =>
    (_, __, callback) =>
      callback(null, [{ address, family: 4 }]);
  const known: KnownPlaces = new Map();
  const ask = async (lookup: Lookup) => {
    const connections = checkedAgent(known, { silentMs: 10_000, lookup });
    afterwards(() => connections.destroy());
    return createHttpFetch({ messageBytesMax: 1_000, messageValuesMax: 1_000, requestsOpenMax: 10, connections })(
      `http://tools.example:${port}/`,
    );
  };
  await expect(ask(standsFor('169.254.169.254'))).rejects.toEqual(
    new NotAllowed(
      'tools.example (169.254.169.254) is an address that no tool server may have; configure the address of the server',
    ),
  );
  expect((await ask(standsFor('127.0.0.1'))).status).toBe(200);
  known.set('tools.example', new Set(['public']));
  await expect(ask(standsFor('127.0.0.1'))).rejects.toThrow(/tools\.example \(127\.0\.0\.1\) is inside/);
});

test('a name that stands for nothing fails the request, and nothing else', async () => {
  const ask = (lookup?: Lookup) => {
    const connections = checkedAgent(new Map(), { silentMs: 10_000, ...(lookup && { lookup }) });
    afterwards(() => connections.destroy());
    return createHttpFetch({ messageBytesMax: 1_000, messageValuesMax: 1_000, requestsOpenMax: 10, connections })(
      'http://tools.invalid:8090/',
    );
  };
  // As the system says it: an error alone.
  const failed = Object.assign(new Error('getaddrinfo ENOTFOUND tools.invalid'), { code: 'ENOTFOUND' });
  await expect(ask((_, __, callback) => callback(failed))).rejects.toThrow('no connection to http://tools.invalid');
  await expect(ask((_, __, callback) => callback(null, []))).rejects.toThrow('no connection to http://tools.invalid');
  await expect(ask()).rejects.toThrow('no connection to http://tools.invalid');
});

test.each([
  'http://169.254.169.254/mcp',
  'http://[fe80::1]/mcp',
  'http://[64:ff9b:1::a9fe:a9fe]/mcp',
  'http://[fd20:ce::254]/mcp',
  'http://[2001::5601:5601]/mcp',
  'http://0x7f.1/mcp',
])('an address that is written out is looked at, too: %s', (url) => {
  const look = () => checkLiteral(new URL(url), new Map());
  if (url.includes('0x7f')) expect(look).not.toThrow();
  else expect(look).toThrow(NotAllowed);
});

test('a server at such an address ends the start with its reason, and is quarantined where the agent starts without it', async () => {
  const url = 'http://169.254.169.254/latest';
  const words = '169.254.169.254 is an address that no tool server may have; configure the address of the server';
  await expect(startBridge([httpServer('m', url)])).rejects.toThrow(
    new Error(`failed to start MCP clients: failed to start MCP server "m": ${words}`),
  );
  const good = await legacyServer();
  const { client, lines, tools } = await startBridge([
    httpServer('m', url, { onStartFailure: 'degrade' }),
    httpServer('good', good.url),
  ]);
  expect((await tools()).map(({ server }) => server)).toEqual(['good', 'good']);
  await eventually(() => lines.some(({ level }) => level === 'warn'), 'it is refused');
  expect(lines).toContainEqual({ level: 'warn', message: `MCP server "m" is quarantined: ${words}` });
  const { servers } = await client.listServers({});
  expect(servers[0]).toMatchObject({ name: 'm', state: 6, reason: `the server "m" is quarantined: ${words}` });
});
