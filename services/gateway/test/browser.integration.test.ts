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

describe.each(['127.0.0.1', '0.0.0.0'])('a gateway that listens on %s', (host) => {
  const named = { host, allowedHosts: ['agent.test', 'other.test:99'], publicUrl: 'https://desk.example:8443/agent' };

  test('answers addresses, localhost, the host of public_url and allowed hosts, whoever calls', async () => {
    const { send } = await gateway({}, named);
    const good = ['localhost', 'LOCALHOST:1', '127.0.0.1:80', '10.0.0.1', '[::1]:8080', '[::2]', 'agent.test:7'];
    for (const name of [...good, 'other.test:99', 'desk.example', 'desk.example:8443'])
      expect((await send('GET', '/health', { headers: { Host: name } })).status, name).toBe(200);
  });

  test('refuses every other name on every route, and says which setting allows it', async () => {
    const { send, calls } = await gateway({}, named);
    const bad = ['evil.example', 'localhost.evil.example', 'other.test', 'localhost@evil.example', 'agent.test.evil'];
    for (const name of bad)
      for (const [method, path] of [
        ['GET', '/health'],
        ['POST', '/approvals/x/approve'],
        ['POST', '/a2a'],
        ['GET', '/.well-known/agent-card.json'],
      ] as const) {
        const { status, text } = await send(method, path, { headers: { Host: name, Origin: `http://${name}` } });
        expect([name, path, status]).toEqual([name, path, 403]);
        expect(text).toContain('allowed_hosts');
      }
    expect(calls).toEqual([]);
  });
});

test('a gateway beyond loopback warns that whoever reaches it can approve', async () => {
  expect((await gateway({}, { host: '0.0.0.0' })).warnings.join()).toMatch(
    /whoever reaches this port can read every conversation, .* approve every call/,
  );
  expect((await gateway({})).warnings).toEqual([]);
});
