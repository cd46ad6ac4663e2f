import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const FOREIGN = 'https://evil.example';
const FRIEND = 'https://app.example:8443';

describe('pages', () => {
  test('of another origin, or that a browser marks as cross-site, are refused before anything happens', async () => {
    const { send, calls, url } = await gateway({});
    const port = new URL(url).port;
    const refused = [
      { Origin: FOREIGN },
      { Origin: 'null' },
      { Origin: `http://127.0.0.1:${Number(port) + 1}` },
      { Origin: `http://localhost:${port}` },
      { Origin: `http://127.0.0.1:${port}.evil.example` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'Cross-Site' },
    ];
    for (const headers of refused) {
      for (const [method, path] of [
        ['GET', '/health'],
        ['POST', '/conversations'],
        ['OPTIONS', '/approvals/x'],
      ] as const) {
        const { status, headers: answered } = await send(method, path, { headers });
        expect(status, JSON.stringify(headers)).toBe(403);
        expect(answered).not.toHaveProperty('access-control-allow-origin');
      }
    }
    expect(calls).toEqual([]);
  });

  test('of the gateway itself, and programs, are served', async () => {
    const { send, url } = await gateway({});
    const accepted = [{}, { Origin: url }, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }];
    for (const headers of accepted) expect((await send('GET', '/health', { headers })).status).toBe(200);
  });

  test('of allowed origins are served, and may read the answer', async () => {
    const { send } = await gateway({}, { allowedOrigins: [`${FRIEND}/`] });
    const headers = { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' };
    const read = await send('GET', '/health', { headers });
    expect(read.status).toBe(200);
    expect(read.headers).toMatchObject({ 'access-control-allow-origin': FRIEND, vary: 'Origin' });
    expect(read.headers).not.toHaveProperty('access-control-allow-credentials');
    const preflight = await send('OPTIONS', '/conversations', {
      headers: { ...headers, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('Idempotency-Key');
    expect((await send('GET', '/health', { headers: { Origin: FOREIGN } })).status).toBe(403);
  });
});

describe('on loopback the Host header', () => {
  test('must name loopback', async () => {
    const { send } = await gateway({}, { allowedHosts: ['agent.test', 'other.test:99'] });
    const good = [
      'localhost',
      'LOCALHOST:1',
      '127.0.0.1',
      '127.0.0.1:80',
      '[::1]',
      '[::1]:8080',
      'agent.test',
      'agent.test:7',
    ];
    for (const host of [...good, 'other.test:99']) {
      expect((await send('GET', '/health', { headers: { Host: host } })).status, host).toBe(200);
    }
    const bad = ['evil.example', 'localhost.evil.example', '10.0.0.1', '[::2]', 'other.test', 'localhost@evil.example'];
    for (const host of bad) {
      expect((await send('GET', '/health', { headers: { Host: host } })).status, host).toBe(403);
    }
  });

  test('is not looked at elsewhere; there the operator is warned', async () => {
    const open = await gateway({}, { host: '0.0.0.0' });
    const reached = open.url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${reached}/health`)).status).toBe(200);
    expect((await open.send('GET', '/health', { headers: { Host: 'agent.example' } })).status).toBe(200);
    expect(open.warnings.join()).toMatch(/whoever reaches this port can approve/);
    expect((await gateway({})).warnings).toEqual([]);
  });
});
