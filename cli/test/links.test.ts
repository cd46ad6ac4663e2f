import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { linkPartsOf } from '../src/parts/links.ts';

const approvals = { makeLink: () => Promise.reject(new Error('not asked for')) };
const key = new Secret('ab'.repeat(32));
const webhook = { name: 'a', url: 'https://a.example/', secretVariable: 'A', events: [], allowPrivate: false };
const withLinks = { webhooks: [webhook, { ...webhook, linkFor: 'fay@x.example' }] };

test('an orchestrator that is to make links does not start without what it needs for it', () => {
  expect(linkPartsOf({ webhooks: [webhook] }, undefined, () => undefined)).toBeUndefined();
  expect(() => linkPartsOf(withLinks, undefined, () => key)).toThrow(/^STOPGO_APPROVALS: is not set, and .* link_for/);
  expect(() => linkPartsOf(withLinks, approvals, () => undefined)).toThrow(/^STOPGO_PUSH_KEY: is not set/);
  expect(linkPartsOf(withLinks, approvals, () => key)).toEqual({ approvals, key: Buffer.alloc(32, 0xab) });
});
