import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GrpcServer, startGrpcServer } from '@stopgo/rpc';
import { afterEach, expect, test } from 'vitest';
import { health } from '../src/health.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function grpcServer(serving: boolean): Promise<GrpcServer> {
  const server = await startGrpcServer({ address: '127.0.0.1:0', services: [], serving });
  stops.push(() => server.stop(0));
  return server;
}

/** Answers every request for /health with one status and text, others with 404; its URL. */
async function httpServer(status: number, text = 'answer'): Promise<string> {
  const server = createServer(
    ({ url }, response) => void response.writeHead(url === '/health' ? status : 404).end(text),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;
}

async function ask(target: string, listen?: string): Promise<string[]> {
  const lines: string[] = [];
  await health(target, listen, (line) => void lines.push(line));
  return lines;
}

test('a service that serves is ready, and one that does not is not', async () => {
  const server = await grpcServer(true);
  expect(await ask(server.address)).toEqual([`${server.address} is ready`]);
  server.serving(false);
  await expect(ask(server.address)).rejects.toThrow(`${server.address} is not ready; its log says what it waits for`);
});

test('without an address the service of this machine is asked, wherever it listens', async () => {
  const { address } = await grpcServer(true);
  const port = address.split(':')[1] ?? '';
  expect(await ask('', `0.0.0.0:${port}`)).toEqual([`127.0.0.1:${port} is ready`]);
  await expect(ask('', '127.0.0.1:0')).rejects.toThrow('STOPGO_LISTEN leaves the port open');
});

test('a URL is ready if it answers 200', async () => {
  const ready = await httpServer(200);
  expect(await ask(ready)).toEqual([`${ready} is ready`]);
  const moved = await httpServer(302);
  await expect(ask(moved)).rejects.toThrow(`${moved} is not ready: it answered 302`);
  const broken = await httpServer(503);
  await expect(ask(broken)).rejects.toThrow(`${broken} is not ready: it answered 503`);
});

test('a URL without a path is that of a gateway, and another path than its health is named', async () => {
  const ready = new URL(await httpServer(200));
  expect(await ask(ready.origin)).toEqual([`${ready} is ready`]);
  await expect(ask(`${ready.origin}/api`)).rejects.toThrow(
    `${ready.origin}/api is not ready: it answered 404; the health of a gateway is at ${ready}`,
  );
  await expect(ask('http://:80')).rejects.toThrow('"http://:80" is no URL; write for example http://127.0.0.1:8080');
});

test.each(['http://alice:pa55@127.0.0.1:1', 'https://alice:pa#55@host/health', 'alice:pa55@127.0.0.1:1'])(
  'an address with a password is refused, and not repeated: %s',
  async (target) => {
    const error = await ask(target).catch(String);
    expect(error).toMatch(/must not hold a user name or a password/);
    expect(error).not.toMatch(/alice|pa55|#55/);
  },
);

test('a gateway that is degraded is told with its reason', async () => {
  const url = await httpServer(200, '{"status":"degraded","reason":"the disk is\\u001b full"}');
  expect(await ask(url)).toEqual([`${url} is degraded: the disk is\\u{1b} full`]);
  const odd = await httpServer(200, '{"status":"degraded"}');
  expect(await ask(odd)).toEqual([`${odd} is degraded: it does not say why`]);
});

test('an address that speaks HTTP is told how to be asked', async () => {
  const { host } = new URL(await httpServer(200));
  await expect(ask(host)).rejects.toThrow(
    `${host} speaks HTTP, not gRPC; ask a gateway with: stopgo health http://${host}`,
  );
});

test('nobody there is one line that names the address', async () => {
  const url = await httpServer(200);
  const { address } = await grpcServer(true);
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await expect(ask(url)).rejects.toThrow(
    /^no answer from http:\/\/127.*ECONNREFUSED.*; nothing listens there: is it started, and is the port the right one\?$/,
  );
  await expect(ask(address)).rejects.toThrow(
    /^no answer from 127[\d.:]+: connect ECONNREFUSED 127[\d.:]+; nothing listens/,
  );
});
