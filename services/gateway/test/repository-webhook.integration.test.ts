import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const path = '/repositories/main/webhook';
const answered = { syncs: false, reason: 'the event ping is no push' };

test('a webhook is handed on as it came, without signing in and without credentials of others', async () => {
  const { send, calls, lines } = await gateway(
    { registry: { receiveWebhook: async () => ({ syncs: true, reason: '' }) } },
    { authenticate: async () => Promise.reject(new Error('nobody is asked to sign in')) },
  );
  const body = '{"ref" : "refs/heads/main"} ';
  const headers = {
    'Content-Type': 'application/json',
    'X-GitHub-Event': 'push',
    'X-Hub-Signature-256': 'sha256=00',
    'X-Gitlab-Token': 'the-secret-itself',
    Authorization: 'Bearer of-somebody',
  };
  const { status, json } = await send('POST', path, { headers, body });
  expect([status, json]).toEqual([202, { syncs: true }]);
  const [call] = calls;
  expect(call?.request).toMatchObject({
    ...{ name: 'main', event: 'push', contentType: 'application/json' },
    body: Buffer.from(body),
    ...{ hubSignature: 'sha256=00', giteaSignature: '', gitlabToken: 'the-secret-itself' },
  });
  expect(call?.context.bearerToken).toBeUndefined();
  expect(lines.join('')).not.toContain('the-secret-itself');
});

test('what begins no sync is answered with the reason, and what is too large is not handed on', async () => {
  const { send, calls } = await gateway({ registry: { receiveWebhook: async () => answered } });
  const { status, json } = await send('POST', path, { headers: { 'X-Gitea-Event': 'ping' }, body: '' });
  expect([status, json]).toEqual([200, answered]);
  expect(calls[0]?.request).toMatchObject({ event: 'ping' });
  expect((await send('POST', path, { body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413);
  expect(calls).toHaveLength(1);
});
