import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { deferred } from './support/deferred.ts';
import { gateway } from './support/gateway.ts';

const slow = () => {
  const [arrived, answer] = [deferred(), deferred()];
  const script = {
    bridge: {
      listTools: async () => {
        arrived.resolve();
        await answer.promise;
        return {};
      },
    },
  };
  return { arrived, answer, script };
};

test('a stop refuses new connections, lets running requests finish and closes their connections', async () => {
  const { arrived, answer, script } = slow();
  const { send, stop } = await gateway(script, { times: { stopGraceMs: 60_000 } });
  const running = send('GET', '/tools');
  await arrived.promise;
  const stopped = stop();
  await expect(send('GET', '/health')).rejects.toThrow('ECONNREFUSED');
  answer.resolve();
  expect((await running).status).toBe(200);
  await stopped;
});

test('a request that does not finish in time is told that its outcome is unknown', async () => {
  const { arrived, answer, script } = slow();
  const { send, stop } = await gateway(script, { times: { stopGraceMs: 20 } });
  const running = send('GET', '/tools');
  await arrived.promise;
  const stopped = stop();
  const { status, headers, json } = await running;
  expect(status).toBe(503);
  expect(headers['retry-after']).toBe('1');
  expect(json.error).toContain('Idempotency-Key');
  await stopped;
  answer.resolve();
});

test('kept-alive connections, idle or in use, do not hold a stop up, and it can be asked for twice', async () => {
  const { arrived, answer, script } = slow();
  const { url, stop } = await gateway(script, { times: { stopGraceMs: 60_000 } });
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest(`${url}${path}`, { agent }, (res) => res.resume().on('end', resolve));
      sent.on('error', reject).end();
    });
  await Promise.all([get('/health'), get('/health')]);
  const running = get('/tools');
  await arrived.promise;
  const stops = [stop(), stop()];
  answer.resolve();
  await Promise.all([running, ...stops]);
  await stop();
  agent.destroy();
});

test('a connection that was opened ahead of its request does not hold a stop up', async () => {
  const { url, send, stop } = await gateway({}, { times: { stopGraceMs: 60_000 } });
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const ended = new Promise((resolve) => silent.once('close', resolve));
  // Answered after the silent connection was accepted: it was made first.
  await new Promise((resolve) => silent.once('connect', resolve));
  await send('GET', '/health');
  await stop();
  await ended;
  // Node itself would close it after the time for a header, which is longer.
}, 5_000);

test('a port that is in use is one clear line, and nothing is left behind', async () => {
  const first = await gateway({});
  const port = Number(new URL(first.url).port);
  await expect(gateway({}, { port })).rejects.toThrow(
    `cannot listen on http://127.0.0.1:${port}: the port is in use; stop the process that has it, or set another "port"`,
  );
  await expect(gateway({}, { host: '192.0.2.1' })).rejects.toThrow('no such address');
  expect((await first.send('GET', '/health')).status).toBe(200);
});
