import { createHmac } from 'node:crypto';
import type { Secret } from '@stopgo/rpc';
import { webhookKey } from './webhooks.ts';

/** What is signed. `timestamp`: of this attempt, in seconds since 1970. */
export type Signed = { readonly id: string; readonly timestamp: number; readonly body: string };

/** The headers by which a receiver knows who sent a body, as standardwebhooks.com has them: one signature for each secret. */
export function signatureHeaders(secrets: readonly Secret[], { id, timestamp, body }: Signed) {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', webhookKey(secret.reveal()) ?? '');
    return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
